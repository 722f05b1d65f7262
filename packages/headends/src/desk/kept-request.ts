import { isJsonObject, type RunRequest, type RunStore } from '@troupe/schema'

/** What is kept of how a run was begun. */
export type KeptRequest = Pick<
  RunRequest,
  'agent' | 'input' | 'principal' | 'output' | 'attachments' | 'team' | 'note'
>

/** How a root was begun; undefined: only metadata is kept of it, or nothing. */
export async function readRequest(
  store: Pick<RunStore, 'steps'>,
  rootRunId: string,
): Promise<KeptRequest | undefined> {
  const begin = (await store.steps(rootRunId, rootRunId)).get('begin')
  // written by a host, as a request
  return isJsonObject(begin) ? (begin as unknown as KeptRequest) : undefined
}
