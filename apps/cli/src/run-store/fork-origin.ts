import { isJsonObject, type Json, type RunStore } from '@troupe/schema'
import { isDamage } from './readable-events.ts'

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
