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
  const { model = before.model } = after
  const prompts = { ...before.prompts, ...after.prompts }
  if (model === undefined && Object.keys(prompts).length === 0) return undefined
  return {
    ...(model === undefined ? {} : { model }),
    ...(Object.keys(prompts).length === 0 ? {} : { prompts }),
  }
}
