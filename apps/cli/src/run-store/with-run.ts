import type { RunStore, RootRunRecord } from '@troupe/schema'
import type { CommandContext } from '../terminal/context.ts'
import { findRootRun } from './find-root-run.ts'
import { openExistingStore } from './open-store.ts'
import type { StoreOptions } from './store-file.ts'

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
