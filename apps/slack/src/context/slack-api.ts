import { WebAPIPlatformError } from '@slack/web-api'
import { type JsonObject, errorMessage, troupeError } from '@troupe/schema'
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

/**
 * Creates a Bolt logger that reports warnings and errors to `onError`. Lower levels are dropped, because they
 * contain tokens and texts.
 */
export function boltLogger(onError: (thrown: unknown) => void, hide: (text: string) => string): Logger {
  const report = (...parts: unknown[]): void =>
    onError(troupeError('slack_trouble', hide(parts.map(errorMessage).join(' '))))
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
