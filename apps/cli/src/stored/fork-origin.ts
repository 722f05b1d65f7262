import { isJsonObject, type Json, type RunStore } from '@troupe/schema'
import { isDamage } from './readable-events.ts'

/** The run that another one goes on from, and the turn that it goes on from. */
export interface ForkOrigin {
  readonly runId: string
  readonly at: string
}

/** Reads where a run was forked from, by the program or by a server; undefined: it was not, or that cannot be read. */
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
