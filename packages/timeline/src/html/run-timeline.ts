import type { Outcome, RunEvent } from '@troupe/schema'
import { contentText } from '../event-text.ts'
import { formatTokens } from '../format.ts'
import { reduceTimeline } from '../reduce.ts'
import { historyOf, type HistoryCall, type HistoryRun } from '../tree.ts'
import { emptyTimeline } from '../view.ts'

/** A row of the timeline of a run: an agent, one of its turns, or a tool call. Times in ms since 1970. */
export interface TimelineStep {
  readonly kind: 'run' | 'turn' | 'tool'
  /** Depth below the root run, from 0. */
  readonly level: number
  readonly label: string
  readonly from: number
  readonly to: number
  /** `undefined` for a turn. */
  readonly outcome?: Outcome
  /** The message or the arguments; `undefined` for a turn. */
  readonly input?: string
  /** The answer or the result; `undefined` for a turn. */
  readonly output?: string
}

interface StepTime {
  readonly from: number
  readonly to?: number
}

/** The times of turns and calls, and the models of turns, by key. */
interface StepFacts {
  readonly times: ReadonlyMap<string, StepTime>
  readonly models: ReadonlyMap<string, string>
  /** Time of the last event. */
  readonly end: number
}

/** Returns the rows of the timeline of a run tree: each run, its turns, and below them their calls. */
export function runTimeline(events: readonly RunEvent[]): readonly TimelineStep[] {
  const facts = factsOf(events)
  return historyOf(events.reduce(reduceTimeline, emptyTimeline())).flatMap((history) =>
    stepsOfRun(history, 0, facts),
  )
}

function factsOf(events: readonly RunEvent[]): StepFacts {
  const times = new Map<string, StepTime>()
  const models = new Map<string, string>()
  const open = (key: string, from: number): void => void times.set(key, times.get(key) ?? { from })
  const close = (key: string, to: number): void =>
    void times.set(key, { from: times.get(key)?.from ?? to, to })
  for (const event of events) {
    const { runId, callId = '', time } = event
    if (event.type === 'turn-start') open(turnKey(runId, event.turn), time)
    if (event.type === 'turn-end') close(turnKey(runId, event.turn), time)
    if (event.type === 'tool-call') open(callKey(runId, callId), time)
    if (event.type === 'tool-result') close(callKey(runId, callId), time)
    if (event.type === 'usage' && event.callId === undefined)
      models.set(
        turnKey(runId, event.turn),
        `${event.model}, ${formatTokens(event.tokens.input)} in, ${formatTokens(event.tokens.output)} out`,
      )
  }
  return { times, models, end: events.at(-1)?.time ?? 0 }
}

function turnKey(runId: string, turn: number): string {
  return JSON.stringify([runId, 'turn', turn])
}

function callKey(runId: string, callId: string): string {
  return JSON.stringify([runId, 'call', callId])
}

function stepsOfRun({ run, calls }: HistoryRun, level: number, facts: StepFacts): readonly TimelineStep[] {
  const to = run.endedAt ?? facts.end
  const self: TimelineStep = {
    kind: 'run',
    level,
    label: run.instance,
    from: run.startedAt,
    to,
    ...(run.outcome === undefined ? {} : { outcome: run.outcome }),
    input: run.input,
    output: run.error?.message ?? run.text,
  }
  const callsByTurn = Map.groupBy(calls, ({ call }) => call.turn)
  const turns = new Set([...Array.from({ length: run.turn }, (_, index) => index + 1), ...callsByTurn.keys()])
  const below = [...turns].flatMap((turn) => [
    ...turnSteps(run.runId, turn, { level: level + 1, to, facts }),
    ...(callsByTurn.get(turn) ?? []).flatMap((call) =>
      stepsOfCall(call, { runId: run.runId, level: level + 2, to, facts }),
    ),
  ])
  return [self, ...below]
}

interface StepPosition {
  readonly level: number
  /** End of the run, for steps that did not end. */
  readonly to: number
  readonly facts: StepFacts
}

/** Returns the row of a turn; none if the run has no such turn, such as that of a chain. */
function turnSteps(
  runId: string,
  turn: number,
  { level, to: end, facts }: StepPosition,
): readonly TimelineStep[] {
  const key = turnKey(runId, turn)
  const time = facts.times.get(key)
  if (time === undefined) return []
  const model = facts.models.get(key)
  const label = model === undefined ? `turn ${turn}` : `turn ${turn}: ${model}`
  return [{ kind: 'turn', level, label, from: time.from, to: time.to ?? end }]
}

/** Returns the rows of a call: those of the runs that it opened, or one of its own. */
function stepsOfCall(
  { call, label, runs }: HistoryCall,
  { runId, level, to: end, facts }: StepPosition & { readonly runId: string },
): readonly TimelineStep[] {
  if (runs.length > 0) return runs.flatMap((run) => stepsOfRun(run, level, facts))
  const { from, to = end } = facts.times.get(callKey(runId, call.callId)) ?? { from: end }
  return [
    {
      kind: 'tool',
      level,
      label,
      from,
      to,
      ...(call.outcome === undefined ? {} : { outcome: call.outcome }),
      input: JSON.stringify(call.args, null, 2),
      output: contentText(call.content ?? []),
    },
  ]
}
