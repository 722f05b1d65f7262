import {
  OUTCOMES,
  toFailure,
  toUsageReport,
  type Outcome,
  type RunEvent,
  type StoredRoot,
} from '@troupe/schema'
import type { ReadStore } from './unkept-runs.ts'

/** How a run stands. `interrupted`: no process works on it any more, and it can be resumed. `damaged`: the store cannot tell. */
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

/** What stands of a run in a list. */
export interface RunSummary {
  readonly runId: string
  readonly agent: string
  readonly state: RunState
  readonly sessionId: string
  /** Wall time in ms. */
  readonly startedAt: number
  /** Wall time in ms from its first start to its end, or to the last event of an interrupted run. Absent for a run that goes on. */
  readonly durationMs?: number
  /** The part of it in which the run was at work, in ms. */
  readonly activeMs?: number
  /** In USD; null: a price is not known. None: it has not ended. */
  readonly cost?: number | null
  /** Empty where only metadata is kept. */
  readonly input: string
  /** How much of it is kept. */
  readonly detail: StoredRoot['detail']
}

/** Reads the two ends of a root; undefined: nothing had begun. One that is damaged is in the list, and spoils no other. */
export async function readSummary(store: ReadStore, root: StoredRoot): Promise<RunSummary | undefined> {
  try {
    const [first] = await store.events(root.rootRunId, { limit: 1 })
    const [last] = await store.events(root.rootRunId, { after: root.lastSeq - 1, limit: 1 })
    return first?.type === 'run-start' ? toSummary(root, first, last) : undefined
  } catch (thrown) {
    if (toFailure(thrown).code === 'store_corrupt') return damagedSummary(root)
    throw thrown
  }
}

/** Out of its first and its last event. */
export function toSummary(
  root: StoredRoot,
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

function damagedSummary({ rootRunId, session, changedAt = 0, detail }: StoredRoot): RunSummary {
  const sessionId = session?.sessionId ?? rootRunId
  return { runId: rootRunId, agent: '', state: 'damaged', sessionId, startedAt: changedAt, input: '', detail }
}

/** The end of a root. */
export type RootEnd = Extract<RunEvent, { readonly type: 'run-end' }>

/** The end of a root, where that is its last event. */
export function endOf(root: StoredRoot, last: RunEvent | undefined): RootEnd | undefined {
  return last?.type === 'run-end' && last.runId === root.rootRunId ? last : undefined
}

function stateOf({ open }: StoredRoot, last: RunEvent | undefined): RunState {
  if (open) return 'running'
  return last?.type === 'run-waiting' ? 'waiting' : 'interrupted'
}
