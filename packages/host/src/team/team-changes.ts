import { redactValues } from '@troupe/env'
import { isJsonObject, type Redactor, type RunStore, type TeamChanges } from '@troupe/schema'

/** What a run of the store was begun with in place of its cards; undefined: nothing. */
export async function storedChanges(
  store: Pick<RunStore, 'steps'>,
  runId: string,
  redactor: Redactor | undefined,
): Promise<TeamChanges | undefined> {
  const begin = (await store.steps(runId, runId)).get('begin')
  const team = isJsonObject(begin) ? begin['team'] : undefined
  if (!isJsonObject(team)) return undefined
  // written by a host, as a request
  return redactValues(team, redactor?.reveal ?? ((text) => text)) as TeamChanges
}

/** Both, where the later ones win; undefined: there is nothing. */
export function mergeChanges(before: TeamChanges = {}, after: TeamChanges = {}): TeamChanges | undefined {
  const merged = { ...before, ...after }
  const prompts = { ...before.prompts, ...after.prompts }
  const changes = Object.keys(prompts).length === 0 ? merged : { ...merged, prompts }
  return Object.keys(changes).length === 0 ? undefined : changes
}
