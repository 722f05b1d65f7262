import { OUTCOMES, toFailure, toUsageReport, type Outcome, type RunEvent } from '@troupe/schema'
import type { RootRunRecord } from '@troupe/schema/ports'
import type { ReadStore } from './memory-runs.ts'

/**
 * State of a run. `interrupted`: no process works on it, and it can be resumed. `damaged`: its stored events
 * are corrupt.
 */
export type RunState = Outcome | 'queued' | 'running' | 'waiting' | 'interrupted' | 'damaged'

/** All states of a run. */
export const RUN_STATES: readonly RunState[] = [
  ...OUTCOMES,
  'queued',
  'running',
  'waiting',
  'interrupted',
  'damaged',
]

/** A run in a list. */
export interface RunSummary {
  readonly runId: string
  readonly agent: string
  readonly state: RunState
  readonly sessionId: string
  /** Wall time of the start, in ms. */
  readonly startedAt: number
  /**
   * Wall time in ms from the first start to the end, or to the last event of an interrupted run. `undefined`
   * for other unfinished runs.
   */
  readonly durationMs?: number
  /** Part of the duration in which the run was active, in ms. */
  readonly activeMs?: number
  /** Cost in USD; `null` if a price is unknown, `undefined` if the run has not ended. */
  readonly cost?: number | null
  /** Empty if only metadata is stored. */
  readonly input: string
  /** Level of detail that is stored. */
  readonly detail: RootRunRecord['detail']
}

/**
 * Reads the first and the last event of a root run. Returns `undefined` if it has not started, and a
 * `damaged` summary if its events are corrupt.
 */
export async function readSummary(store: ReadStore, root: RootRunRecord): Promise<RunSummary | undefined> {
  try {
    const [first] = await store.events(root.rootRunId, { limit: 1 })
    const [last] = await store.events(root.rootRunId, { after: root.lastSeq - 1, limit: 1 })
    return first?.type === 'run-start' ? toSummary(root, first, last) : undefined
  } catch (thrown) {
    if (toFailure(thrown).code === 'store_corrupt') return damagedSummary(root)
    throw thrown
  }
}

/** Creates a summary from the first and the last event of a root run. */
export function toSummary(
  root: RootRunRecord,
  first: Extract<RunEvent, { readonly type: 'run-start' }>,
  last: RunEvent | undefined,
): RunSummary {
  const end = endOf(root, last)
  const state = end?.outcome ?? stateOf(root, last)
  return {
    runId: root.rootRunId,
    agent: first.agent,
    state,
    sessionId: first.sessionId,
    startedAt: first.time,
    ...(end === undefined
      ? interruptedTime(state, first.time, last)
      : {
          durationMs: end.durationMs,
          activeMs: end.activeMs ?? end.durationMs,
          cost: toUsageReport(end.usage, end.unpriced).cost,
        }),
    input: first.input,
    detail: root.detail,
  }
}

function interruptedTime(
  state: RunState,
  startedAt: number,
  last: RunEvent | undefined,
): Pick<RunSummary, 'durationMs'> {
  return state === 'interrupted' && last !== undefined ? { durationMs: last.time - startedAt } : {}
}

function damagedSummary({ rootRunId, session, changedAt = 0, detail }: RootRunRecord): RunSummary {
  const sessionId = session?.sessionId ?? rootRunId
  return { runId: rootRunId, agent: '', state: 'damaged', sessionId, startedAt: changedAt, input: '', detail }
}

/** The end event of a root run. */
export type RootEnd = Extract<RunEvent, { readonly type: 'run-end' }>

/** Returns the last event if it is the end of the root run. */
export function endOf(root: RootRunRecord, last: RunEvent | undefined): RootEnd | undefined {
  return last?.type === 'run-end' && last.runId === root.rootRunId ? last : undefined
}

function stateOf({ open }: RootRunRecord, last: RunEvent | undefined): RunState {
  if (open) return 'running'
  return last?.type === 'run-waiting' ? 'waiting' : 'interrupted'
}
