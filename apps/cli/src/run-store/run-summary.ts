import {
  OUTCOMES,
  openApprovals,
  toUsageReport,
  type Outcome,
  type RunEvent,
  TroupeError,
  isJsonObject,
  type Json,
} from '@troupe/schema'
import type { RunStore, RootRunRecord } from '@troupe/schema/ports'

/**
 * State of a run: its outcome, or `running`: a process executes it; `waiting`: until an approval or
 * answer; `interrupted`: its process has stopped; `damaged`: unreadable.
 */
type StoredRunState = Outcome | 'running' | 'waiting' | 'interrupted' | 'damaged'

export const RUN_STATES: readonly StoredRunState[] = [
  ...OUTCOMES,
  'running',
  'waiting',
  'interrupted',
  'damaged',
]

/** Summary of a run in a list. */
export interface StoredRunSummary {
  readonly runId: string
  readonly agent: string
  /** Session of the run. A run without a conversation has its own id as session. */
  readonly sessionId: string
  /** Principal that started the run. */
  readonly principal?: string
  readonly state: StoredRunState
  /** Wall time in ms since the epoch. */
  readonly startedAt: number
  /**
   * Time in ms from the first start to the end, or to the last event of an interrupted run. Absent while the
   * run is running or waiting.
   */
  readonly durationMs?: number
  /** Active part of `durationMs`, in ms. */
  readonly activeMs?: number
  /** Cost in USD; `null` if a price is unknown. Absent until the run has ended. */
  readonly cost?: number | null
  readonly input: string
  readonly detail: RootRunRecord['detail']
  readonly owner?: RootRunRecord['owner']
}

/**
 * Summarises a root run from its first and last event. Returns `undefined` if the run never started. If the
 * run is damaged, includes what can be read.
 */
export async function summarise(store: RunStore, root: RootRunRecord): Promise<StoredRunSummary | undefined> {
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
    ...(isDamaged
      ? { state: 'damaged' }
      : open && !isEnd(last, rootRunId)
        ? { state: await activeState(store, rootRunId) }
        : endOf(last, { rootRunId, startedAt: start?.time })),
    input: start?.input ?? '',
    detail,
    ...(owner === undefined ? {} : { owner }),
  }
}

/** Reads the event after a `seq`. */
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
  { rootRunId, startedAt }: { readonly rootRunId: string; readonly startedAt: number | undefined },
): Pick<StoredRunSummary, 'state' | 'durationMs' | 'activeMs' | 'cost'> {
  if (!isEnd(last, rootRunId)) {
    if (last?.type === 'run-waiting') return { state: 'waiting' }
    const isTimed = last !== undefined && startedAt !== undefined
    return { state: 'interrupted', ...(isTimed ? { durationMs: last.time - startedAt } : {}) }
  }
  const { cost } = toUsageReport(last.usage, last.unpriced)
  const { outcome: state, durationMs, activeMs = durationMs } = last
  return { state, durationMs, activeMs, cost }
}

/** Returns true for the end of the root run. */
function isEnd(
  event: RunEvent | undefined,
  rootRunId: string,
): event is Extract<RunEvent, { readonly type: 'run-end' }> {
  return event?.type === 'run-end' && event.runId === rootRunId
}

/** Returns the state of a run that a process executes. It waits if a person who is present there was asked. */
async function activeState(
  store: Pick<RunStore, 'events'>,
  rootRunId: string,
): Promise<'running' | 'waiting'> {
  const { events } = await readableEvents(store, rootRunId)
  return openApprovals(events).some(({ expiresAt }) => expiresAt !== undefined) ? 'waiting' : 'running'
}

/** Events of a run that could be read. */
interface ReadableEvents {
  readonly events: readonly RunEvent[]
  /** Error of the first unreadable event; `undefined` if all events could be read. */
  readonly damage?: TroupeError
}

const PAGE = 1024

/** Reads the events of a root run after a `seq`, up to the first damaged one. */
export async function readableEvents(
  store: Pick<RunStore, 'events'>,
  rootRunId: string,
  { after: first = 0 }: { readonly after?: number } = {},
): Promise<ReadableEvents> {
  const events: RunEvent[] = []
  let limit = PAGE
  for (;;) {
    const after = events.at(-1)?.seq ?? first
    try {
      const page = await store.events(rootRunId, { after, limit })
      events.push(...page)
      if (page.length < limit) return { events }
    } catch (thrown) {
      if (!isDamage(thrown)) throw thrown
      if (limit === 1) return { events, damage: thrown }
      limit = Math.ceil(limit / 2)
    }
  }
}

/** Returns true if a store threw because its data is corrupt. */
export function isDamage(thrown: unknown): thrown is TroupeError {
  return TroupeError.isInstance(thrown) && thrown.code === 'store_corrupt'
}

/** Run and turn that another run was forked from. */
export interface ForkOrigin {
  readonly runId: string
  readonly at: string
}

/**
 * Reads the origin of a forked run. Returns `undefined` if the run is not a fork, or if its steps are
 * damaged.
 */
export async function forkOrigin(
  store: Pick<RunStore, 'steps'>,
  rootRunId: string,
): Promise<ForkOrigin | undefined> {
  const begin = await beginOf(store, rootRunId)
  const note = isJsonObject(begin) ? begin['note'] : undefined
  const forkOf = isJsonObject(note) ? note['forkOf'] : undefined
  if (!isJsonObject(forkOf)) return undefined
  const { runId, at } = forkOf
  return typeof runId === 'string' && typeof at === 'string' ? { runId, at } : undefined
}

async function beginOf(store: Pick<RunStore, 'steps'>, rootRunId: string): Promise<Json | undefined> {
  try {
    return (await store.steps(rootRunId, rootRunId)).get('begin')
  } catch (thrown) {
    if (isDamage(thrown)) return undefined
    throw thrown
  }
}
