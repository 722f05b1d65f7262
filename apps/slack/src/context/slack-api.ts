import { WebAPIPlatformError } from '@slack/web-api'
import { type JsonObject, errorMessage } from '@troupe/schema'
import { LogLevel, type Logger } from '@slack/bolt'

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

/** A warning of the client for each failed attempt. It lacks the host and the cause. */
const FAILED_ATTEMPT = 'http request failed'

/**
 * Creates a Bolt logger that passes warnings and errors to `onText`, except those of failed attempts. Lower
 * levels are dropped, because they contain tokens and texts.
 */
export function boltLogger(onText: (text: string) => void): Logger {
  const report = (...parts: unknown[]): void => {
    if (parts[0] !== FAILED_ATTEMPT) onText(parts.map(errorMessage).join(' '))
  }
  return {
    debug: ignore,
    info: ignore,
    warn: report,
    error: report,
    setLevel: ignore,
    getLevel: () => LogLevel.WARN,
    setName: ignore,
  }
}

function ignore(): void {
  // Levels below warning are dropped.
}
