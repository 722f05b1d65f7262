import { troupeError, type Clock } from '@troupe/schema'
import {
  runUnknownError,
  sessionBusyError,
  type RootRunFilter,
  type RunLabel,
  type RunTreeLog,
  type RootRunQuery,
  type RunStore,
  type SessionKey,
  type RootRunRecord,
} from '@troupe/schema/ports'
import { matchesSession, meetsQuery, sessionKeyText } from './root-run-query.ts'
import { createMemorySchedules } from './memory-schedules.ts'
import { createMemorySessions } from './memory-sessions.ts'
import { emptyRecord, openMemoryLog, type MemoryLog, type RunTreeRecord } from './memory-log.ts'

/** Options of {@link createMemoryStore}. */
export interface MemoryStoreOptions {
  readonly clock: Clock
  /**
   * Maximum number of stored run trees. The one closed longest ago is deleted first, open ones never.
   * Default: 100.
   */
  readonly maxRoots?: number
}

interface MemoryRunTree {
  /** Increases with every new run tree. */
  readonly order: number
  readonly record: RunTreeRecord
  readonly session: SessionKey | undefined
  lease: { readonly owner: string; readonly log: MemoryLog } | undefined
  changedAt: number
  label: RunLabel | undefined
}

const DEFAULT_ROOTS = 100

/**
 * Creates a store that holds run trees in this process. Opening a run tree that another owner has open throws
 * `store_locked`; its owner gets the same log again. A run tree that is opened again continues with its next
 * `seq`.
 */
export function createMemoryStore({ clock, maxRoots = DEFAULT_ROOTS }: MemoryStoreOptions): RunStore {
  // separate from `closed`, so that finding the oldest closed run tree does not scan the open ones
  const opened = new Map<string, MemoryRunTree>()
  // in the order of closing
  const closed = new Map<string, MemoryRunTree>()
  // the open root run of each session
  const busy = new Map<string, string>()
  let isClosed = false
  let created = 0

  const find = (rootRunId: string): MemoryRunTree | undefined =>
    closed.get(rootRunId) ?? opened.get(rootRunId)

  function lease(rootRunId: string, root: MemoryRunTree, owner: string): RunTreeLog {
    const log = openMemoryLog(root.record, {
      onClose: () => {
        root.lease = undefined
        if (root.session !== undefined) busy.delete(sessionKeyText(root.session))
        root.changedAt = clock.now()
        if (opened.delete(rootRunId)) closed.set(rootRunId, root)
        forgetOldest()
      },
    })
    root.lease = { owner, log }
    if (root.session !== undefined) busy.set(sessionKeyText(root.session), rootRunId)
    return log
  }

  function forgetOldest(): void {
    if (opened.size + closed.size <= maxRoots) return
    for (const rootRunId of closed.keys()) {
      closed.delete(rootRunId)
      if (opened.size + closed.size <= maxRoots) return
    }
  }

  function assertSessionFree(rootRunId: string, session: SessionKey | undefined): void {
    const other = session === undefined ? undefined : busy.get(sessionKeyText(session))
    if (other !== undefined && other !== rootRunId) throw sessionBusyError(other)
  }

  /**
   * Returns the run tree with the id of the filter, or all of them: with a filter in the order in which they started,
   * otherwise open ones last.
   */
  function selectRunTrees(filter: RootRunFilter | undefined): readonly (readonly [string, MemoryRunTree])[] {
    if (filter === undefined) return [...closed, ...opened]
    if (filter.rootRunId === undefined)
      return [...closed, ...opened].toSorted(([, a], [, b]) => a.order - b.order)
    const root = find(filter.rootRunId)
    return root === undefined ? [] : [[filter.rootRunId, root]]
  }

  function list(query: RootRunQuery): readonly RootRunRecord[] {
    const { before, limit } = query
    const below = before === undefined ? Infinity : orderOf(before, query)
    return [...closed, ...opened]
      .filter(
        ([rootRunId, { order, session, record, label }]) =>
          order < below && meetsQuery({ rootRunId, session, facts: record.facts, label }, query),
      )
      .toSorted(([, a], [, b]) => b.order - a.order)
      .slice(0, limit)
      .map(([rootRunId, root]) => toRootRunRecord(rootRunId, root))
  }

  function orderOf(rootRunId: string, { principal }: RootRunQuery): number {
    const root = find(rootRunId)
    if (root === undefined || (principal !== undefined && root.session?.principal !== principal))
      throw runUnknownError(rootRunId)
    return root.order
  }

  return {
    open(rootRunId, owner, { detail = 'full', session } = {}) {
      if (isClosed) throw troupeError('usage_invalid', 'The store is closed.', { fix: 'Open a new one.' })
      const root = find(rootRunId) ?? {
        order: (created += 1),
        record: emptyRecord(detail),
        session,
        lease: undefined,
        changedAt: clock.now(),
        label: undefined,
      }
      if (root.lease?.owner === owner) return root.lease.log
      if (root.lease !== undefined) {
        throw troupeError('store_locked', `The run ${rootRunId} is in use by ${root.lease.owner}.`)
      }
      assertSessionFree(rootRunId, root.session)
      closed.delete(rootRunId)
      opened.set(rootRunId, root)
      const log = lease(rootRunId, root, owner)
      forgetOldest()
      return log
    },
    roots: (filter) =>
      selectRunTrees(filter).flatMap(([rootRunId, root]) =>
        filter === undefined || matchesSession(root.session, filter) ? toRootRunRecord(rootRunId, root) : [],
      ),
    list,
    events: (rootRunId, { after = 0, limit = Infinity } = {}) =>
      (find(rootRunId)?.record.events ?? []).slice(after, after + limit),
    steps: (rootRunId, runId) => new Map(find(rootRunId)?.record.steps.get(runId)),
    setLabel(rootRunId, label) {
      const root = find(rootRunId)
      if (root !== undefined) root.label = label
      return root !== undefined
    },
    purge: (rootRunIds) => rootRunIds.filter((id) => closed.delete(id)).length,
    sessions: createMemorySessions((session) =>
      [...closed.values(), ...opened.values()].some((root) => matchesSession(root.session, session)),
    ),
    schedules: createMemorySchedules(),
    close() {
      isClosed = true
      // closing removes a run tree from the map, so collect the logs first
      const logs = Array.from(opened.values(), (root) => root.lease?.log)
      for (const log of logs) log?.close()
      closed.clear()
    },
  }
}

function toRootRunRecord(
  rootRunId: string,
  { session, lease, changedAt, record, label }: MemoryRunTree,
): RootRunRecord {
  return {
    rootRunId,
    ...(session === undefined ? {} : { session }),
    open: lease !== undefined,
    changedAt,
    lastSeq: record.events.length,
    detail: record.detail,
    ...(label === undefined ? {} : { label }),
  }
}
