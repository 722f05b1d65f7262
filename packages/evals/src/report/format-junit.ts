import { xmlElement, xmlSeconds, xmlText, type XmlAttributes } from '@troupe/timeline'
import type { EvalCaseReport, EvalReport, EvalTotals, EvalVariantReport } from './eval-report.ts'
import { comparisonText, passedText, rateText, variantName } from './report-text.ts'

/**
 * Formats a report as JUnit XML: a test suite per variant, and a test case per case. A case has a `failure`
 * if a repeat failed, else an `error` if a repeat broke. Rates and intervals are `properties`.
 */
export function formatJunit(report: EvalReport): string {
  const suites = report.variants.map((variant) => suiteXml(variant, report))
  const cases = report.variants.flatMap((variant) => variant.cases)
  const { attributes } = countsOf(cases)
  return `<?xml version="1.0" encoding="UTF-8"?>\n${xmlElement('testsuites', { name: 'troupe eval', ...attributes }, suites)}\n`
}

function suiteXml(variant: EvalVariantReport, report: EvalReport): string {
  const { agent, createdAt, commit, cardDigest, comparison } = report
  const name = report.variants.length === 1 ? agent : `${agent} (${variantName(variant)})`
  const isCompared = comparison !== undefined && variant === report.variants[0]
  const properties = {
    ...(commit === undefined ? {} : { commit }),
    cardDigest,
    ...(variant.model === undefined ? {} : { model: variant.model }),
    ...totalProperties(variant.totals),
    ...(isCompared ? { verdict: comparison.verdict, comparison: comparisonText(comparison) } : {}),
  }
  return xmlElement('testsuite', { name, timestamp: createdAt, ...countsOf(variant.cases).attributes }, [
    propertiesXml(properties),
    ...variant.cases.map((each) => caseXml(each, { name, report, isCompared })),
  ])
}

/** Returns the attributes that count the test cases of a suite. */
function countsOf(cases: readonly EvalCaseReport[]): { readonly attributes: XmlAttributes } {
  const failures = cases.filter(({ totals }) => totals.failed > 0).length
  const errors = cases.filter(({ totals }) => totals.failed === 0 && totals.errors > 0).length
  const ms = cases.reduce((sum, { totals }) => sum + totals.usage.durationMs, 0)
  return { attributes: { tests: cases.length, failures, errors, time: xmlSeconds(ms) } }
}

function caseXml(
  each: EvalCaseReport,
  {
    name,
    report,
    isCompared,
  }: { readonly name: string; readonly report: EvalReport; readonly isCompared: boolean },
): string {
  const { id, description, totals } = each
  const compared = isCompared ? report.comparison?.cases.find((other) => other.id === id) : undefined
  const properties = {
    ...(description === undefined ? {} : { description }),
    ...totalProperties(totals),
    ...(compared === undefined ? {} : { verdict: compared.verdict, pValue: compared.pValue }),
  }
  return xmlElement('testcase', { classname: name, name: id, time: xmlSeconds(totals.usage.durationMs) }, [
    propertiesXml(properties),
    ...problemXml(each),
  ])
}

function totalProperties(totals: EvalTotals): XmlAttributes {
  const { passed, failed, errors, rate, interval, usage, modelCalls } = totals
  return {
    passed,
    failed,
    errors,
    ...(rate === null ? {} : { rate }),
    ...(interval === null ? {} : { 'interval.low': interval[0], 'interval.high': interval[1] }),
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    ...(usage.cost === null ? {} : { cost: usage.cost }),
    'modelCalls.asked': modelCalls.asked,
    'modelCalls.recorded': modelCalls.recorded,
  }
}

function propertiesXml(properties: XmlAttributes): string {
  return xmlElement(
    'properties',
    {},
    Object.entries(properties).map(([name, value]) => xmlElement('property', { name, value })),
  )
}

/** Returns the failure or the error of a case. JUnit allows one of them. */
function problemXml(each: EvalCaseReport): readonly string[] {
  const { totals } = each
  if (totals.failed > 0) {
    const message = `${passedText(totals)} repeats passed, rate ${rateText(totals)}`
    return [xmlElement('failure', { message, type: 'gate' }, [xmlText(problemText(each))])]
  }
  if (totals.errors === 0) return []
  const code = each.repeats.find(({ error }) => error !== undefined)?.error?.code ?? 'error'
  const message = `${totals.errors} of ${each.repeats.length} repeats broke`
  return [xmlElement('error', { message, type: code }, [xmlText(problemText(each))])]
}

/** Returns one line per failed check and error, with its repeat counted from 1. */
function problemText({ repeats }: EvalCaseReport): string {
  return repeats
    .flatMap(({ index, checks, error }) => [
      ...(error === undefined ? [] : [`repeat ${index + 1}: ${error.code}: ${error.message}`]),
      ...checks
        .filter(({ passed }) => !passed)
        .map(
          ({ name, gate, message }) =>
            `repeat ${index + 1}: ${name}${gate ? '' : ' (does not decide)'}${message === undefined ? '' : `: ${message}`}`,
        ),
    ])
    .join('\n')
}
