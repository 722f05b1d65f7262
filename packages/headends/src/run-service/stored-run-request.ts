import { isJsonObject, type RunRequest, type RunStore } from '@troupe/schema'

/** The stored part of the request that started a run. */
export type StoredRunRequest = Pick<
  RunRequest,
  'agent' | 'input' | 'principal' | 'output' | 'attachments' | 'team' | 'note'
>

/** Returns the request that started a root run; `undefined` if only metadata or nothing is stored. */
export async function readRequest(
  store: Pick<RunStore, 'steps'>,
  rootRunId: string,
): Promise<StoredRunRequest | undefined> {
  const begin = (await store.steps(rootRunId, rootRunId)).get('begin')
  // Written by a host as a request.
  return isJsonObject(begin) ? (begin as unknown as StoredRunRequest) : undefined
}
