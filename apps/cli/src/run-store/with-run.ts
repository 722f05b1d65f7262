import { troupeError, type RunStore, type RootRunRecord } from '@troupe/schema'
import type { CommandContext } from '../terminal/context.ts'
import { openExistingStore, type StoreOptions } from './open-store.ts'

/** Opens the store, calls `work` and closes the store. */
export async function withRuns<T>(
  options: StoreOptions,
  context: CommandContext,
  work: (store: RunStore) => Promise<T>,
): Promise<T> {
  const store = await openExistingStore(options, context)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** Opens the store and finds a run by its id or a prefix, calls `work` and closes the store. */
export function withRun<T>(
  given: string,
  { options, context }: { readonly options: StoreOptions; readonly context: CommandContext },
  work: (root: RootRunRecord, store: RunStore) => Promise<T>,
): Promise<T> {
  return withRuns(options, context, async (store) => work(await findRootRun(store, given), store))
}

/** Finds a root run by its id or a prefix. Throws `run_unknown`, and `usage_invalid` if several match. */
export async function findRootRun(store: RunStore, given: string): Promise<RootRunRecord> {
  const roots = await store.roots()
  const exact = roots.find(({ rootRunId }) => rootRunId === given)
  if (exact !== undefined) return exact
  const matching = roots.filter(
    ({ rootRunId }) => rootRunId.startsWith(given) || rootRunId.startsWith(`run_${given}`),
  )
  const [only, ...others] = matching
  if (only === undefined) throw troupeError('run_unknown', `There is no run ${given} in the store.`)
  if (others.length === 0) return only
  throw troupeError('usage_invalid', `${matching.length} runs have an id that starts with ${given}.`, {
    fix: 'Pass more of the id.',
  })
}
