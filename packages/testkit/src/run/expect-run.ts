import { AssertionError } from 'node:assert'
import { isDeepStrictEqual } from 'node:util'
import type { Json, RunReport } from '@troupe/schema'
import {
  isTextPattern,
  matchesText,
  matchesValue,
  patternText,
  type TextPattern,
  type ValuePattern,
} from './match-value.ts'
import { answerText, runSummary } from './run-summary.ts'
import type { PartialRun, TestedRun } from './tested-run.ts'
import { isCallOf, requestedCalls, type RequestedCall } from './tool-calls.ts'

/** Expected arguments of a tool call. Only the named ones are compared. */
export type ArgumentPatterns = Readonly<Record<string, ValuePattern>>

/** Number of calls: exactly, or within bounds. */
export type CallCount =
  | number
  | {
      /** The smallest number of calls. Default: 0. */
      readonly min?: number
      /** The largest number of calls. Default: no limit. */
      readonly max?: number
    }

/**
 * Expectations about a run. Each method returns the same object, so that calls can be chained, and throws an
 * `AssertionError` if the expectation is not met. The first line of its message is the reason, the others
 * describe the run.
 */
export interface RunExpectation {
  /** Expects the outcome `completed`. */
  toComplete(): RunExpectation
  /** Expects an answer that equals a text or a JSON value, or that matches a pattern. */
  toAnswer(expected: TextPattern | Json): RunExpectation
  /** Expects another answer than `toAnswer`. */
  notToAnswer(expected: TextPattern | Json): RunExpectation
  /** Expects an answer that contains a text. */
  toContain(text: string): RunExpectation
  /** Expects an answer that does not contain a text. */
  notToContain(text: string): RunExpectation
  /**
   * Expects a call of the tool by any agent of the run. `args` are the arguments that one of the calls must
   * have; others are ignored.
   */
  toHaveCalled(tool: string, args?: ArgumentPatterns): RunExpectation
  /** Expects this number of calls of the tool; with `args`, of calls with these arguments. */
  toHaveCalledTimes(tool: string, count: CallCount, args?: ArgumentPatterns): RunExpectation
  /** Expects no call of the tool; with `args`, no call with these arguments. */
  notToHaveCalled(tool: string, args?: ArgumentPatterns): RunExpectation
  /** Expects calls in this order. Other calls may come in between. */
  toHaveCalledInOrder(tools: readonly string[]): RunExpectation
  /** Expects a run of the agent: the root run, or one below it. */
  toHaveUsedAgent(agent: string): RunExpectation
  /** Expects at most this number of turns of the root run. */
  toHaveAtMostTurns(turns: number): RunExpectation
  /** Expects a known cost of at most this many USD. */
  toCostAtMost(usd: number): RunExpectation
  /** Expects that no tool call, child run or warning weakened the result. */
  toHaveNoProblems(): RunExpectation
  /** Expects that the function returns `undefined`. A text that it returns is the reason of the failure. */
  toSatisfy(findProblem: (run: PartialRun) => string | undefined): RunExpectation
}

/**
 * Creates expectations about a run. A report is enough for those about the outcome, the answer, agents, cost
 * and problems. The others need the events as well: pass the result of `collectRun` or `replayRun`.
 */
export function expectRun(run: TestedRun | RunReport): RunExpectation {
  const tested: PartialRun = 'report' in run ? run : { report: run }
  const { report } = tested

  function check(isMet: boolean, reason: () => string, values?: ComparedValues): RunExpectation {
    if (isMet) return expectation
    throw new AssertionError({
      message: `${reason()}\n${runSummary(tested).replaceAll(/^/gmu, '  ')}`,
      operator: 'expectRun',
      stackStartFn: check,
      ...values,
    })
  }

  function callsOf(tool: string, args: ArgumentPatterns = {}): readonly RequestedCall[] {
    return requestedCalls(eventsOf(tested)).filter(
      (call) => isCallOf(tool, call) && matchesValue(args, call.args),
    )
  }

  const expectation: RunExpectation = {
    toComplete: () =>
      check(
        report.outcome === 'completed',
        () => `The run did not complete. Its outcome is ${report.outcome}.`,
      ),
    toAnswer: (expected) =>
      check(
        isAnswer(report, expected),
        () =>
          `The answer ${isTextPattern(expected) ? 'does not match' : 'is not'} ${expectedText(expected)}.`,
        comparedValues(report, expected),
      ),
    notToAnswer: (expected) =>
      check(
        !isAnswer(report, expected),
        () => `The answer ${isTextPattern(expected) ? 'matches' : 'is'} ${expectedText(expected)}.`,
      ),
    toContain: (text) =>
      check(answerText(report).includes(text), () => `The answer does not contain ${JSON.stringify(text)}.`),
    notToContain: (text) =>
      check(!answerText(report).includes(text), () => `The answer contains ${JSON.stringify(text)}.`),
    toHaveCalled: (tool, args) =>
      check(callsOf(tool, args).length > 0, () => `The run did not call ${callText(tool, args)}.`),
    toHaveCalledTimes(tool, count, args) {
      const { min = 0, max = Infinity } = typeof count === 'number' ? { min: count, max: count } : count
      const { length } = callsOf(tool, args)
      return check(
        length >= min && length <= max,
        () => `The run called ${callText(tool, args)} ${timesText(length)}, not ${countText(min, max)}.`,
      )
    },
    notToHaveCalled: (tool, args) =>
      check(callsOf(tool, args).length === 0, () => `The run called ${callText(tool, args)}.`),
    toHaveCalledInOrder(tools) {
      const missing = firstMissing(tools, requestedCalls(eventsOf(tested)))
      return check(
        missing === undefined,
        () => `The run did not call ${tools.join(', ')} in this order: the call of ${missing} is missing.`,
      )
    },
    toHaveUsedAgent(agent) {
      const agents = agentsOf(tested)
      return check(
        agents.includes(agent),
        () => `The run did not use the agent ${agent}, but ${agents.join(', ') || 'none'}.`,
      )
    },
    toHaveAtMostTurns(turns) {
      const used = eventsOf(tested).filter(({ type, depth }) => type === 'turn-start' && depth === 0).length
      return check(used <= turns, () => `The run had ${used} turns, not at most ${turns}.`)
    },
    toCostAtMost(usd) {
      const { cost, unpriced } = report.usage
      if (cost === null)
        return check(false, () => `The cost is unknown, because there is no price of ${unpriced.join(', ')}.`)
      return check(cost <= usd, () => `The run cost $${cost}, not at most $${usd}.`)
    },
    toHaveNoProblems: () =>
      check(
        report.problemCount === 0,
        () => `The run had ${report.problemCount} ${report.problemCount === 1 ? 'problem' : 'problems'}.`,
      ),
    toSatisfy(findProblem) {
      const problem = findProblem(tested)
      return check(problem === undefined, () => problem ?? '')
    },
  }
  return expectation
}

/** Values that a test runner shows as a difference. */
interface ComparedValues {
  readonly actual: unknown
  readonly expected: unknown
}

function isAnswer(report: RunReport, expected: TextPattern | Json): boolean {
  if (isTextPattern(expected)) return matchesText(expected, answerText(report))
  const { actual } = comparedValues(report, expected)
  return isDeepStrictEqual(actual, expected)
}

function comparedValues(report: RunReport, expected: TextPattern | Json): ComparedValues {
  const isText = typeof expected === 'string' || isTextPattern(expected)
  return { actual: isText ? answerText(report) : report.output.value, expected }
}

function expectedText(expected: TextPattern | Json): string {
  return isTextPattern(expected) ? String(expected) : JSON.stringify(expected)
}

function eventsOf({ events }: PartialRun): TestedRun['events'] {
  if (events !== undefined) return events
  throw new TypeError(
    'A report contains no tool calls and turns. Pass the run with its events: expectRun(await collectRun(host.stream(agent, input))).',
  )
}

/** Returns the agents that ran or, without events, those with usage. */
function agentsOf({ report, events }: PartialRun): readonly string[] {
  if (events === undefined) return Object.keys(report.usage.byAgent)
  return [...new Set(events.flatMap((event) => (event.type === 'run-start' ? event.agent : [])))]
}

/** Returns the first tool that is not called after the ones before it. */
function firstMissing(tools: readonly string[], calls: readonly RequestedCall[]): string | undefined {
  let found = 0
  for (const call of calls) {
    const next = tools[found]
    if (next !== undefined && isCallOf(next, call)) found += 1
  }
  return tools[found]
}

function callText(tool: string, args: ArgumentPatterns | undefined): string {
  return args === undefined ? tool : `${tool} with ${patternText(args)}`
}

function timesText(times: number): string {
  return times === 1 ? 'once' : `${times} times`
}

function countText(min: number, max: number): string {
  if (min === max) return timesText(min)
  if (max === Infinity) return `at least ${timesText(min)}`
  return min === 0 ? `at most ${timesText(max)}` : `${min} to ${max} times`
}
