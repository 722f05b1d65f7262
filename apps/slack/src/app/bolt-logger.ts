import { LogLevel, type Logger } from '@slack/bolt'
import { errorMessage, troupeError } from '@troupe/schema'

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
