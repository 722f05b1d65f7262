import { redactValues } from '@troupe/env'
import { isJsonObject, type Redactor, type RunStore, type TeamOverrides } from '@troupe/schema'

/** Returns the changes that a stored run was started with, or `undefined` if there were none. */
export async function storedChanges(
  store: Pick<RunStore, 'steps'>,
  runId: string,
  redactor: Redactor | undefined,
): Promise<TeamOverrides | undefined> {
  const begin = (await store.steps(runId, runId)).get('begin')
  const team = isJsonObject(begin) ? begin['team'] : undefined
  if (!isJsonObject(team)) return undefined
  // Written by a host as part of a request, so it is valid.
  return redactValues(team, redactor?.reveal ?? ((text) => text)) as TeamOverrides
}

/** Merges changes; later ones win. Returns `undefined` if there are none. */
export function mergeChanges(
  before: TeamOverrides = {},
  after: TeamOverrides = {},
): TeamOverrides | undefined {
  const { model = before.model } = after
  const prompts = { ...before.prompts, ...after.prompts }
  if (model === undefined && Object.keys(prompts).length === 0) return undefined
  return {
    ...(model === undefined ? {} : { model }),
    ...(Object.keys(prompts).length === 0 ? {} : { prompts }),
  }
}
