import type { SlackContext } from '../answer/slack-context.ts'
import type { StoredSlackRequest } from '../state/slack-state.ts'
import type { Click } from './click.ts'

/**
 * Creates a request that repeats the question in the same thread, for the person who clicked. Returns
 * `undefined` if the click was already handled.
 */
export function onRetry(
  { storedRequest, user, threadTs, triggerId }: Click,
  context: SlackContext,
): StoredSlackRequest | undefined {
  const request = {
    ...storedRequest.request,
    id: `retry-${triggerId}`,
    kind: 'retry' as const,
    user,
    threadTs,
  }
  return context.state.take(request) ? { request, progress: {} } : undefined
}
