import { errorMessage, troupeError, type Clock } from '@troupe/schema'
import type { EvalCheck } from '../cases/eval-check.ts'
import type { EvalCheckResult } from '../report/eval-report.ts'
import { checkAgents, checkToolCalled, checkToolCalls } from './call-checks.ts'
import type { CheckedRun, CheckFinding } from './check-input.ts'
import { callCheckFunction, type CheckFunction } from './function-check.ts'
import { checkCost, checkLatency, checkNoProblems, checkTokens, checkTurns } from './measure-checks.ts'
import { checkContains, checkEquals, checkJsonPath, checkRegex, checkSchema } from './text-checks.ts'

/** Dependencies of checks. */
export interface EvalCheckContext {
  readonly clock: Clock
  /** Check functions by the `value` of their checks. */
  readonly functions: ReadonlyMap<string, CheckFunction>
  /** Asks a judge about the answer of a run. */
  judge(judge: { readonly agent: string; readonly rubric: string }, run: CheckedRun): Promise<CheckFinding>
}

/**
 * Checks a run: that it completed, and every expectation of its case. A check that breaks has failed, even if
 * it is negated. Rejects if a judge that decides gives no verdict.
 */
export async function runChecks(
  run: CheckedRun,
  context: EvalCheckContext,
): Promise<readonly EvalCheckResult[]> {
  const results = await Promise.all(run.case.checks.map((check) => runCheck(check, run, context)))
  const { outcome, error } = run.report
  if (outcome === 'completed') return results
  const message = error?.message ?? `the outcome is ${outcome}`
  return [{ name: 'the run completes', passed: false, gate: true, message }, ...results]
}

async function runCheck(
  check: EvalCheck,
  run: CheckedRun,
  context: EvalCheckContext,
): Promise<EvalCheckResult> {
  const { not, gate } = check
  const base = { name: checkName(check), gate }
  let finding: CheckFinding
  try {
    finding = await find(check, run, context)
  } catch (thrown) {
    if (check.fields.type === 'judge' && gate) throw thrown
    return { ...base, passed: false, message: `the check broke: ${errorMessage(thrown)}` }
  }
  const { message, score, undecided } = finding
  const passed = undecided === true || finding.passed !== not
  return {
    ...base,
    passed,
    gate: gate && undecided !== true,
    ...(message === undefined || (passed && undecided !== true) ? {} : { message }),
    ...(score === undefined ? {} : { score }),
  }
}

function find(
  { fields, not }: EvalCheck,
  run: CheckedRun,
  context: EvalCheckContext,
): CheckFinding | Promise<CheckFinding> {
  switch (fields.type) {
    case 'contains':
      return checkContains(fields, run)
    case 'regex':
      return checkRegex(fields, run)
    case 'equals':
      return checkEquals(fields, run)
    case 'json-schema':
      return checkSchema(fields, run)
    case 'json-path':
      return checkJsonPath(fields, run)
    case 'tool-called':
      return checkToolCalled(fields, run, not)
    case 'tool-calls':
      return checkToolCalls(fields, run)
    case 'agents':
      return checkAgents(fields, run)
    case 'cost':
      return checkCost(fields, run)
    case 'tokens':
      return checkTokens(fields, run)
    case 'latency':
      return checkLatency(fields, run)
    case 'turns':
      return checkTurns(fields, run)
    case 'no-problems':
      return checkNoProblems(run)
    case 'judge':
      return context.judge(fields, run)
    default: {
      const check = context.functions.get(fields.value)
      if (check === undefined) throw troupeError('internal', `${fields.value} was not loaded`)
      return callCheckFunction(check, run, context.clock)
    }
  }
}

const LONGEST_NAME = 120

/** Describes an expectation as one line, such as `contains "nine"`. */
function checkName({ fields, not }: EvalCheck): string {
  const { type, ...rest } = fields
  const values = 'value' in rest ? [JSON.stringify(rest.value)] : Object.entries(rest).map(toWords)
  const name = [`${not ? 'not-' : ''}${type}`, ...values].join(' ').replaceAll(/\s+/gu, ' ')
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME).toWellFormed()}…` : name
}

function toWords([key, value]: readonly [string, unknown]): string {
  return `${key} ${JSON.stringify(value)}`
}
