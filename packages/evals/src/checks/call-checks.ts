import type { JsonObject, RunEvent } from '@troupe/schema'
import type { FieldsOf } from '../cases/eval-check.ts'
import { matchesArguments } from '../cases/value-matcher.ts'
import type { CheckedRun, CheckFinding } from './check-input.ts'

type CheckedCall = Extract<RunEvent, { readonly type: 'tool-call' }>

const LISTED = 20

/** Checks that each of the tools was called. Negated, that none of them was. */
export function checkToolCalled(
  { value }: FieldsOf<'tool-called'>,
  run: CheckedRun,
  not: boolean,
): CheckFinding {
  const calls = callsOf(run)
  const called = new Set(calls.map(({ toolName }) => toolName))
  const names = [value].flat()
  const passed = not ? names.some((name) => called.has(name)) : names.every((name) => called.has(name))
  return { passed, message: callsText(calls) }
}

/** Checks which tools were called, in which order, how often and with which arguments. */
export function checkToolCalls(fields: FieldsOf<'tool-calls'>, run: CheckedRun): CheckFinding {
  const { tool, order, args } = fields
  const calls = callsOf(run)
  const missing = order === undefined ? undefined : firstMissing(order, calls)
  if (missing !== undefined)
    return { passed: false, message: `${missing} was not called in this order; ${callsText(calls)}` }
  const names = tool === undefined ? order : [tool]
  const matching = calls.filter(
    (call) =>
      (names === undefined || names.includes(call.toolName)) &&
      (args === undefined || matchesArguments(args, call.args)),
  )
  const { min, max } = countBounds(fields.count)
  const passed = matching.length >= min && matching.length <= max
  const what = args === undefined ? 'calls match' : 'calls match with these arguments'
  return { passed, message: `${matching.length} ${what}; ${callsText(calls, args !== undefined)}` }
}

/** Returns the bounds on matching calls. At least one is required unless the check says otherwise. */
function countBounds(count: FieldsOf<'tool-calls'>['count']): { readonly min: number; readonly max: number } {
  if (typeof count === 'number') return { min: count, max: count }
  const { max = Infinity, min = Math.min(1, max) } = count ?? {}
  return { min, max }
}

/** Returns the first tool that was not called after those before it; `undefined` if all were, in this order. */
function firstMissing(order: readonly string[], calls: readonly CheckedCall[]): string | undefined {
  let at = 0
  for (const name of order) {
    while (at < calls.length && calls[at]?.toolName !== name) at += 1
    if (at === calls.length) return name
    at += 1
  }
  return undefined
}

function callsOf({ events }: CheckedRun): readonly CheckedCall[] {
  return events.filter((event) => event.type === 'tool-call')
}

function callsText(calls: readonly CheckedCall[], withArguments = false): string {
  if (calls.length === 0) return 'no tool was called'
  const listed = calls
    .slice(0, LISTED)
    .map(({ toolName, args }) => (withArguments ? `${toolName} ${argumentsText(args)}` : toolName))
  const rest = calls.length - listed.length
  return `the calls were ${listed.join(', ')}${rest === 0 ? '' : ` and ${rest} more`}`
}

function argumentsText(args: JsonObject): string {
  const text = JSON.stringify(args)
  return text.length > 100 ? `${text.slice(0, 100).toWellFormed()}…` : text
}

/** Checks that each of the agents ran. */
export function checkAgents({ used }: FieldsOf<'agents'>, { events }: CheckedRun): CheckFinding {
  const ran = new Set(events.flatMap((event) => (event.type === 'run-start' ? [event.agent] : [])))
  return { passed: used.every((name) => ran.has(name)), message: `the agents were ${[...ran].join(', ')}` }
}
