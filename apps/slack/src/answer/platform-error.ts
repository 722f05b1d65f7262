import { WebAPIPlatformError } from '@slack/web-api'

/** What Slack calls the reason for which it refused a call; undefined: it did not refuse it, the call failed. */
export function platformError(thrown: unknown): string | undefined {
  return thrown instanceof WebAPIPlatformError ? thrown.data.error : undefined
}

/** True where the message of a stream has ended already. */
export function isStreamOver(thrown: unknown): boolean {
  return platformError(thrown) === 'message_not_in_streaming_state'
}
