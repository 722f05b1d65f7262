import type { SlackDesk } from '../answer/slack-desk.ts'
import type { KeptRequest } from '../state/slack-state.ts'
import type { Click } from './click.ts'

/** Asks the same again in the same thread, for the person who clicked. Undefined: this click has come before. */
export function onRetry(
  { kept, user, threadTs, triggerId }: Click,
  desk: SlackDesk,
): KeptRequest | undefined {
  const request = { ...kept.request, id: `retry-${triggerId}`, kind: 'retry' as const, user, threadTs }
  return desk.state.take(request) ? { request, place: {} } : undefined
}
