import { isDeepStrictEqual } from 'node:util'
import type { RunEvent, RunReport } from '@troupe/schema'
import type { CrashTraces } from './crash-traces.ts'

/** A crash: the state it left, the state after the run was resumed, and an undisturbed run to compare with. */
export interface Crash {
  readonly left: CrashTraces
  readonly after: CrashTraces
  readonly report: RunReport
  readonly undisturbed: { readonly traces: CrashTraces; readonly report: RunReport }
}

/** Everything that a crash may not do; empty: all is well. */
export function crashProblems(crash: Crash): readonly string[] {
  return [
    ...lostEvents(crash),
    ...repeatedTurns(crash),
    ...repeatedEffects(crash),
    ...shapeProblems(crash),
    ...reportProblems(crash),
  ]
}

function lostEvents({ left, after }: Crash): readonly string[] {
  const lost = left.acknowledged.filter(
    (event) => !isDeepStrictEqual(left.events[(event.seq ?? 0) - 1], event),
  )
  const rewritten = left.events.filter((event, index) => !isDeepStrictEqual(after.events[index], event))
  const misplaced = after.events.filter((event, index) => event.seq !== index + 1)
  return [
    ...lost.map(({ seq, type }) => `event ${seq} (${type}) was emitted and is lost`),
    ...rewritten.map(({ seq, type }) => `event ${seq} (${type}) is another one after the resume`),
    ...misplaced.map(({ seq }) => `event ${seq} is not in its place`),
  ]
}

/** An answer that is kept is never paid again, any other once more at most. */
function repeatedTurns({ left, after }: Crash): readonly string[] {
  const kept = new Set(
    left.events.flatMap((event) => {
      if (event.type !== 'run-start') return []
      const keys = Array.from(left.steps.get(event.runId)?.keys() ?? [])
      return keys.flatMap((key) =>
        key.startsWith('llm:') ? `${event.input}#${key.slice('llm:'.length)}` : [],
      )
    }),
  )
  return Array.from(after.paid, ([turn, count]) => ({
    turn,
    more: count - (left.paid.get(turn) ?? 0),
  })).flatMap(({ turn, more }) =>
    more > (kept.has(turn) ? 0 : 1) ? `the turn ${turn} was paid ${more} times more` : [],
  )
}

/** `pay run_root:1.3#1`: what took place, and for which attempt of which call. */
const EFFECT = /^(?<name>\w+) (?<runId>\w+):(?<callId>[\d.]+)#(?<attempt>\d+)$/u

/** Finds completed steps that were repeated and `once` tools that ran twice. */
function repeatedEffects({ left, after }: Crash): readonly string[] {
  return Array.from(after.effects).flatMap(([effect, count]) => {
    const { name, runId = '', callId, attempt } = EFFECT.exec(effect)?.groups ?? {}
    const before = left.effects.get(effect) ?? 0
    const step = name === 'approve' ? `approval:${callId}#${attempt}` : `tool:${callId}`
    const hasEnded = left.steps.get(runId)?.has(step) === true
    const isOnce = name === 'pay'
    const allowed = hasEnded || (isOnce && before > 0) ? 0 : 1
    return count - before > allowed ? `${effect} took place ${before} times, then ${count - before} more` : []
  })
}

const TOLD_ONCE: ReadonlySet<RunEvent['type']> = new Set([
  'run-start',
  'run-end',
  'turn-start',
  'turn-end',
  'tool-call',
  'tool-result',
  'approval-result',
])

/** Every run, turn, call and result is there once, as if nothing had happened. */
function shapeProblems({ after, undisturbed }: Crash): readonly string[] {
  const is = shapeOf(after.events)
  const should = shapeOf(undisturbed.traces.events)
  return [
    ...[...should].filter((line) => !is.includes(line)).map((line) => `missing: ${line}`),
    ...is
      .filter((line, index) => !should.includes(line) || is.indexOf(line) !== index)
      .map((line) => `too many: ${line}`),
  ]
}

function shapeOf(events: readonly RunEvent[]): readonly string[] {
  return events.flatMap((event) => {
    if (!TOLD_ONCE.has(event.type)) return []
    const turn = 'turn' in event ? event.turn : ''
    const child = event.type === 'tool-result' ? (event.childRunId ?? '') : ''
    return `${event.type} ${event.runId} ${event.callId ?? ''} ${turn} ${child}`
  })
}

/** Only a call that may be made once, and of which is not known whether it was, may end otherwise. */
function reportProblems({ after, report, undisturbed }: Crash): readonly string[] {
  const failed = after.events.flatMap((event) =>
    event.type === 'tool-result' && event.outcome !== 'completed'
      ? `${event.callId} ${event.error?.code}`
      : [],
  )
  return [
    ...failed.filter((line) => line !== '1.3 tool_outcome_unknown').map((line) => `a call failed: ${line}`),
    ...(isDeepStrictEqual(comparable(report), comparable(undisturbed.report))
      ? []
      : [`the report is another one: ${JSON.stringify(report)}`]),
  ]
}

function comparable(report: RunReport): unknown {
  // the one problem that an interruption may add was looked at above
  const problems = report.problems.filter(({ code }) => code !== 'tool_outcome_unknown')
  return { ...report, durationMs: 0, activeMs: 0, problems, problemCount: problems.length }
}
