import type { SlackDesk } from '../answer/slack-desk.ts'
import type { KeptRequest } from '../state/slack-state.ts'
import type { Click } from './click.ts'

/**
 * Creates a request that repeats the question in the same thread, for the person who clicked. Returns
 * `undefined` if the click was already handled.
 */
export function onRetry(
  { kept, user, threadTs, triggerId }: Click,
  desk: SlackDesk,
): KeptRequest | undefined {
  const request = { ...kept.request, id: `retry-${triggerId}`, kind: 'retry' as const, user, threadTs }
  return desk.state.take(request) ? { request, place: {} } : undefined
}
