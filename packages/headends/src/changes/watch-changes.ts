import type { Clock, MaybePromise } from '@troupe/schema'
import type { RunService } from '../run-service/run-service.ts'
import type { ChangedRuns } from '../run-service/changed-runs.ts'
import { createChangeLog, type ChangeLog, type ChangeReader, type ChangeScope } from './change-log.ts'

/** A list of the server that clients load again when it has changed. */
export interface WatchedList {
  /** Name in the change, such as `schedules`. */
  readonly name: string
  /** True if only operators can load it. */
  readonly forOperators: boolean
  /** Returns a text that changes with the list. */
  version(): MaybePromise<string>
}

/** Finds what changes on the server, once for all clients. */
export interface ChangeWatch {
  /**
   * Opens a reader after the change with this id. `onChange` is called when there may be something to read. A reader
   * without a known position gets `reset` first.
   */
  open(
    scope: ChangeScope,
    options: { readonly after: string | undefined; onChange(): void },
  ): Promise<ChangeReader & { close(): void }>
  close(): void
}

/** Dependencies of a change watch. */
interface ChangeSources {
  readonly runService: Pick<RunService, 'changedRuns' | 'approvals' | 'sessionsVersion' | 'onActivity'>
  readonly lists: readonly WatchedList[]
  readonly clock: Pick<Clock, 'after' | 'monotonic'>
  newId(prefix: string): string
  onError?(thrown: unknown): void
}

/** Interval in ms at which the store is compared, for runs of other processes. */
const POLL_MS = 1000
/** Delay in ms after a change of a run in this process, so that changes are sent together. */
const ACTIVITY_MS = 250
/** Interval in ms at which the versions of lists are compared. */
const LISTS_MS = 5000
/** Time in ms after the last client during which changes are still recorded, because clients reconnect. */
const IDLE_MS = 30_000
/** Maximum number of runs in one change. */
const MAX_RUNS = 100

/** Creates a watch that reads nothing until the first client opens it. */
export function createChangeWatch(sources: ChangeSources): ChangeWatch {
  let watching: Watching | undefined
  return {
    async open(scope, { after, onChange }) {
      if (watching === undefined || watching.isOver) watching = startWatching(sources)
      return watching.open(scope, { after, onChange })
    },
    close: () => watching?.stop(),
  }
}

interface Watching extends Pick<ChangeWatch, 'open'> {
  readonly isOver: boolean
  stop(): void
}

interface OpenReader {
  readonly scope: ChangeScope
  onChange(): void
}

function startWatching({ runService, lists, clock, newId, onError }: ChangeSources): Watching {
  const log = createChangeLog(newId('changes').replaceAll('-', ''))
  const readers = new Set<OpenReader>()
  const runs = runService.changedRuns()
  const approvals = new Map<string | undefined, string>()
  const sessions = new Map<string | undefined, string>()
  const versions = new Map<string, string>()
  let listsReadAt = -Infinity
  let hasActed = false
  let idleSince: number | undefined
  let isOver = false
  let cancelPoll = (): void => undefined
  let cancelActivity: (() => void) | undefined
  let polling: Promise<void> | undefined

  async function readAll(): Promise<void> {
    const mayHaveChanged = (await appendChangedRuns(log, runs)) || hasActed
    hasActed = false
    const areListsDue = clock.monotonic() - listsReadAt >= LISTS_MS
    for (const principal of new Set([...readers].map(({ scope }) => scope.principal))) {
      await readApprovals(principal)
      if (mayHaveChanged || areListsDue) await readSessions(principal)
    }
    if (!areListsDue) return
    listsReadAt = clock.monotonic()
    for (const list of lists) await readList(list)
  }

  async function readApprovals(principal: string | undefined): Promise<void> {
    const { approvals: open, total } = await runService.approvals(principal)
    const ids = open.map(({ runId, approvalId }) => `${runId} ${approvalId}`).join('\n')
    const before = approvals.get(principal)
    approvals.set(principal, ids)
    if (before !== undefined && before !== ids) log.append({ type: 'approvals', principal, total })
  }

  /** Records the version of the conversations of a principal. The first one is not a change. */
  async function readSessions(principal: string | undefined): Promise<void> {
    const now = await runService.sessionsVersion(principal)
    const before = sessions.get(principal)
    sessions.set(principal, now)
    if (before !== undefined && before !== now) log.append({ type: 'sessions', principal })
  }

  async function readList({ name, forOperators, version }: WatchedList): Promise<void> {
    const now = await version()
    const before = versions.get(name)
    versions.set(name, now)
    if (before !== undefined && before !== now) log.append({ type: 'reload', list: name, forOperators })
  }

  /** Compares everything once, and again after the interval. Calls in the meantime get the same result. */
  function poll(): Promise<void> {
    cancelPoll()
    cancelActivity?.()
    cancelActivity = undefined
    polling ??= readAll()
      .catch((thrown: unknown) => onError?.(thrown))
      .then(() => {
        polling = undefined
        for (const { onChange } of readers) onChange()
        if (isOver) return
        if (readers.size > 0) idleSince = undefined
        else idleSince ??= clock.monotonic()
        if (idleSince !== undefined && clock.monotonic() - idleSince >= IDLE_MS) stop()
        else cancelPoll = clock.after(POLL_MS, () => void poll())
      })
    return polling
  }

  function stop(): void {
    isOver = true
    cancelPoll()
    cancelActivity?.()
    stopActivity()
  }

  const stopActivity = runService.onActivity(() => {
    hasActed = true
    if (readers.size > 0) cancelActivity ??= clock.after(ACTIVITY_MS, () => void poll())
  })
  const started = poll()

  return {
    get isOver() {
      return isOver
    },
    async open(scope, { after, onChange }) {
      const reader: OpenReader = { scope, onChange }
      readers.add(reader)
      // A change before the first comparison is not found, so the client must load everything after it.
      await started
      if (!sessions.has(scope.principal))
        await Promise.all([readApprovals(scope.principal), readSessions(scope.principal)]).catch(
          (thrown: unknown) => onError?.(thrown),
        )
      const { next } = log.read(scope, after)
      return { next, close: () => void readers.delete(reader) }
    },
    stop,
  }
}

/** Records the runs that have changed. Returns true if there are some. */
async function appendChangedRuns(log: ChangeLog, runs: ChangedRuns): Promise<boolean> {
  const changed = await runs.read()
  if (changed === undefined) {
    log.reset()
    return true
  }
  for (let from = 0; from < changed.length; from += MAX_RUNS)
    log.append({ type: 'runs', runs: changed.slice(from, from + MAX_RUNS) })
  return changed.length > 0
}
