import { pastConversation } from '@troupe/core'
import { redactValues } from '@troupe/env'
import type { Message, Redactor, RunRequest, RunStore } from '@troupe/schema'

/**
 * Returns the messages of all earlier root runs in the session of a stored root run. The history starts after
 * the last one that was purged or stored as metadata only. Without a `redactor` secrets stay sealed.
 */
export async function storedHistory(
  store: Pick<RunStore, 'steps'>,
  request: Pick<RunRequest, 'history' | 'continues'>,
  redactor: Redactor | undefined,
): Promise<readonly Message[]> {
  const turns: (readonly Message[])[] = []
  const seen = new Set<string>()
  let from = request
  while (from.continues !== undefined && !seen.has(from.continues)) {
    const runId = from.continues
    seen.add(runId)
    const steps = await store.steps(runId, runId)
    const begin = steps.get('begin')
    if (begin === undefined) break
    const before = redactValues(begin, redactor?.reveal ?? same) as unknown as RunRequest
    turns.unshift(
      pastConversation(steps, { request: before, ...(redactor === undefined ? {} : { redactor }) }),
    )
    from = before
  }
  return [...(from.continues === undefined ? (from.history ?? []) : []), ...turns.flat()]
}

/** Returns the request of a stored root run with its history filled in. */
export async function withHistory(
  request: RunRequest,
  { store, redactor }: { readonly store: RunStore; readonly redactor: Redactor | undefined },
): Promise<RunRequest> {
  if (request.continues === undefined) return request
  return { ...request, history: await storedHistory(store, request, redactor) }
}

function same(text: string): string {
  return text
}
