import { WebAPIPlatformError } from '@slack/web-api'
import type { JsonObject } from '@troupe/schema'

/** Returns Slack's error code if it refused a call; `undefined` if the call failed otherwise. */
export function platformError(thrown: unknown): string | undefined {
  return thrown instanceof WebAPIPlatformError ? thrown.data.error : undefined
}

/** Returns true if the streamed message has already ended. */
export function isStreamOver(thrown: unknown): boolean {
  return platformError(thrown) === 'message_not_in_streaming_state'
}

/** Casts objects of the Slack API to JSON, because the client's types omit many fields. */
export function toJson(list: readonly object[]): readonly JsonObject[] {
  return list as readonly JsonObject[]
}
