import type { EvalReport, EvalReportSummary, EvalTotals } from '@troupe/client'
import { expect, it } from 'vitest'
import { rateSeries, rateText } from '../src/evals/rate-series.ts'
import { toReportCases } from '../src/evals/report-cases.ts'
import { evalRunId, parseEvalRunId } from '../src/route/eval-run-ref.ts'

function totals(passed: number, failed: number): EvalTotals {
  const counted = passed + failed
  return {
    passed,
    failed,
    errors: 0,
    rate: counted === 0 ? null : passed / counted,
    interval: counted === 0 ? null : [0.2, 0.9],
    usage: { inputTokens: 1, outputTokens: 1, cost: 0.01, durationMs: 10 },
    modelCalls: { asked: 1, recorded: 0 },
  }
}

function summary(id: string, minute: number, more: Partial<EvalReportSummary> = {}): EvalReportSummary {
  return {
    id,
    createdAt: `2026-10-01T08:0${minute}:00.000Z`,
    agent: 'clerk',
    cardDigest: 'old',
    caseFiles: ['a.eval.yaml'],
    variants: [{ totals: totals(3, 1) }],
    ...more,
  }
}

it('reports are grouped by case files, agent and model, oldest first, with each new version of the cards marked', () => {
  const series = rateSeries([
    summary('c', 3, { cardDigest: 'new' }),
    summary('other', 2, { agent: 'lead' }),
    summary('b', 2),
    summary('broken', 1, { variants: [{ totals: totals(0, 0) }] }),
    summary('a', 0, { variants: [{ totals: totals(1, 1) }, { model: 'test/small', totals: totals(0, 2) }] }),
  ])
  expect(series.map(({ agent, model, points }) => [agent, model, points.map(({ id }) => id)])).toEqual([
    ['clerk', undefined, ['a', 'b', 'c']],
    ['lead', undefined, ['other']],
    ['clerk', 'test/small', ['a']],
  ])
  expect(series[0]?.points.map(({ isNewVersion }) => isNewVersion)).toEqual([false, false, true])
})

it('a series has the newest 60 reports', () => {
  const many = Array.from({ length: 70 }, (_, index) => summary(`${index}`, 1))
  const [series] = rateSeries(many)
  expect([series?.points.length, series?.points.at(-1)?.id]).toEqual([60, '0'])
})

it('a rate is shown with its interval, and never as 100 % if a repeat failed', () => {
  expect(rateText({ rate: 0.999, interval: [0.98, 1] })).toBe('99 % (98–100 %)')
  expect(rateText({ rate: null, interval: null })).toBe('–')
})

it('worse cases come first, then failed ones, and repeats of the base are added', () => {
  const evalCase = (id: string, passed: number): EvalReport['variants'][number]['cases'][number] => ({
    id,
    repeats: [],
    totals: totals(passed, 2 - passed),
  })
  const report: EvalReport = {
    ...summary('b', 2),
    version: 1,
    runIds: [],
    variants: [
      { cases: [evalCase('good', 2), evalCase('bad', 1), evalCase('worse', 2)], totals: totals(5, 1) },
    ],
    comparison: {
      base: 'a',
      verdict: 'worse',
      pValue: 0.01,
      repeatsNeeded: null,
      baseTotals: totals(6, 0),
      cases: [{ id: 'worse', verdict: 'worse', pValue: 0.01, base: totals(2, 0), current: totals(2, 0) }],
    },
  }
  const cases = toReportCases(report, 0, undefined)
  expect(cases.map(({ id, verdict }) => [id, verdict])).toEqual([
    ['worse', 'worse'],
    ['bad', undefined],
    ['good', undefined],
  ])
  expect(cases[0]?.baseTotals?.passed).toBe(2)
})

it('the id of a run of a report names both, and ids of stored runs do not', () => {
  const ref = { reportId: '20261001T080000000Z-1a2b3c4d-5e6f7a8b', runId: 'run_1' }
  expect(parseEvalRunId(evalRunId(ref))).toEqual(ref)
  expect(parseEvalRunId('run_1')).toBeUndefined()
})
