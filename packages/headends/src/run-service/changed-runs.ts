import type { RootRunRecord } from '@troupe/schema/ports'
import type { RunServiceContext } from './run-service-context.ts'
import { isEndState, readSummary, type RunSummary } from './run-view.ts'

/** A run whose entry in the list of runs has changed. */
export interface ChangedRun {
  /** `undefined` if the run was started without a session. */
  readonly principal: string | undefined
  readonly run: RunSummary
}

/** A reader of the changes of the list of runs, by whichever process. */
export interface ChangedRuns {
  /**
   * Returns the runs that have changed since the last call, the oldest first. The first call returns none.
   * `undefined` if so many have started that some were not read.
   */
  read(): Promise<readonly ChangedRun[] | undefined>
}

/** Number of newest runs that each call compares. */
const NEWEST = 100
/** Maximum number of older runs without an end that each call compares, and of new runs that it reads. */
const MAX_RUNS = 500

/**
 * Creates a reader over the store. It compares the records of the newest runs and of those that have not ended, and
 * reads events only of runs whose record has changed.
 */
export function createChangedRuns({
  store,
  host,
  memoryRuns,
}: Pick<RunServiceContext, 'store' | 'host' | 'memoryRuns'>): ChangedRuns {
  const known = new Map<string, string>()
  const open = new Set<string>()
  let isFirst = true

  /** Returns the newest runs, back to the first one that is known. */
  async function readNewest(): Promise<{
    readonly roots: readonly RootRunRecord[]
    readonly isComplete: boolean
  }> {
    const roots: RootRunRecord[] = []
    for (;;) {
      const before = roots.at(-1)?.rootRunId
      const page = await store.list({ limit: NEWEST, ...(before === undefined ? {} : { before }) })
      roots.push(...page)
      if (isFirst || page.length < NEWEST || page.some(({ rootRunId }) => known.has(rootRunId)))
        return { roots, isComplete: true }
      if (roots.length >= MAX_RUNS) return { roots, isComplete: false }
    }
  }

  async function readOlder(newest: ReadonlySet<string>): Promise<readonly RootRunRecord[]> {
    if (isFirst) return store.list({ outcomes: ['none'], limit: MAX_RUNS })
    const ids = [...open].filter((id) => !newest.has(id))
    const found = await Promise.all(ids.map(async (rootRunId) => store.roots({ rootRunId })))
    return found.flat()
  }

  /** Records a run. Returns its entry in the list if it has changed. */
  async function compare(root: RootRunRecord): Promise<readonly ChangedRun[]> {
    const id = root.rootRunId
    const signature = `${signatureOf(root)}${host.isWaiting(id) ? ' waiting' : ''}`
    if (known.get(id) === signature) return []
    known.delete(id)
    known.set(id, signature)
    if (isFirst) return []
    const run = await readSummary({ store, host }, root)
    if (run === undefined) return []
    if (isEndState(run.state)) open.delete(id)
    else open.add(id)
    return [{ principal: root.session?.principal, run }]
  }

  /** Forgets the runs that were changed longest ago. */
  function forgetOldest(): void {
    for (const id of open) {
      if (open.size <= MAX_RUNS) break
      open.delete(id)
    }
    for (const id of known.keys()) {
      if (known.size <= NEWEST + 2 * MAX_RUNS) break
      if (!open.has(id)) known.delete(id)
    }
  }

  return {
    async read() {
      const { roots, isComplete } = await readNewest()
      const inMemory = memoryRuns.roots({})
      const older = await readOlder(new Set([...roots, ...inMemory].map(({ rootRunId }) => rootRunId)))
      if (isFirst) for (const { rootRunId } of older) open.add(rootRunId)
      const changed: ChangedRun[] = []
      for (const root of [...older, ...roots.toReversed(), ...inMemory])
        changed.push(...(await compare(root)))
      isFirst = false
      forgetOldest()
      return isComplete ? changed : undefined
    },
  }
}

/**
 * Returns a text that changes with the entry of a run in the list. While a process works on the run, its events do
 * not change the entry.
 */
export function signatureOf({ open, lastSeq, label }: RootRunRecord): string {
  return JSON.stringify([open, open ? lastSeq > 0 : lastSeq, label])
}
