import { troupeError, type RunStore, type RootRunRecord } from '@troupe/schema'

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
  throw troupeError('usage_invalid', `${matching.length} runs begin with ${given}.`, {
    fix: 'Write more of the id.',
  })
}
