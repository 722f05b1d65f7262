import {
  OUTCOMES,
  toUsageReport,
  type Outcome,
  type RunEvent,
  type RunStore,
  type StoredRoot,
} from '@troupe/schema'
import { isDamage } from './readable-events.ts'

/** How a run stands: how it ended; `running`: a process works on it; `waiting`: for a person who decides; `interrupted`: no process works on it any more; `damaged`: the store cannot tell. */
export type RunState = Outcome | 'running' | 'waiting' | 'interrupted' | 'damaged'

/** All of them. */
export const RUN_STATES: readonly RunState[] = [...OUTCOMES, 'running', 'waiting', 'interrupted', 'damaged']

/** What stands of a run in a list. */
export interface RunSummary {
  readonly runId: string
  readonly agent: string
  /** The conversation that it is part of; of one run alone: its id. */
  readonly sessionId: string
  /** Whom it worked for. */
  readonly principal?: string
  readonly state: RunState
  /** Wall time in ms. */
  readonly startedAt: number
  /** Wall time in ms from its first start to its end, or to the last event of an interrupted run. Absent for a run that goes on. */
  readonly durationMs?: number
  /** The part of it in which the run was at work, in ms. */
  readonly activeMs?: number
  /** In USD; null: a price is not known. None: it has not ended. */
  readonly cost?: number | null
  readonly input: string
  readonly detail: StoredRoot['detail']
  readonly owner?: StoredRoot['owner']
}

/** Reads the two ends of a root; undefined: nothing had begun. Of a damaged one it says what can be read. */
export async function summarise(store: RunStore, root: StoredRoot): Promise<RunSummary | undefined> {
  const { rootRunId, lastSeq, detail, open, owner, session } = root
  const first = await readOne(store, rootRunId, 0)
  const last = await readOne(store, rootRunId, lastSeq - 1)
  const isDamaged = first === 'damaged' || last === 'damaged'
  const start = first !== 'damaged' && first?.type === 'run-start' ? first : undefined
  if (start === undefined && !isDamaged) return undefined
  return {
    runId: rootRunId,
    agent: start?.agent ?? '',
    sessionId: session?.sessionId ?? start?.sessionId ?? rootRunId,
    ...(session === undefined ? {} : { principal: session.principal }),
    startedAt: start?.time ?? root.changedAt ?? 0,
    ...(isDamaged ? { state: 'damaged' } : endOf(last, { rootRunId, open, startedAt: start?.time })),
    input: start?.input ?? '',
    detail,
    ...(owner === undefined ? {} : { owner }),
  }
}

/** The event behind a `seq`. */
async function readOne(
  store: RunStore,
  rootRunId: string,
  after: number,
): Promise<RunEvent | 'damaged' | undefined> {
  try {
    return (await store.events(rootRunId, { after, limit: 1 }))[0]
  } catch (thrown) {
    if (isDamage(thrown)) return 'damaged'
    throw thrown
  }
}

function endOf(
  last: RunEvent | undefined,
  {
    rootRunId,
    open,
    startedAt,
  }: { readonly rootRunId: string; readonly open: boolean; readonly startedAt: number | undefined },
): Pick<RunSummary, 'state' | 'durationMs' | 'activeMs' | 'cost'> {
  if (last?.type !== 'run-end' || last.runId !== rootRunId) {
    if (open) return { state: 'running' }
    if (last?.type === 'run-waiting') return { state: 'waiting' }
    const isTimed = last !== undefined && startedAt !== undefined
    return { state: 'interrupted', ...(isTimed ? { durationMs: last.time - startedAt } : {}) }
  }
  const { cost } = toUsageReport(last.usage, last.unpriced)
  const { outcome: state, durationMs, activeMs = durationMs } = last
  return { state, durationMs, activeMs, cost }
}
