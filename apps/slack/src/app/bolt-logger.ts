import { LogLevel, type Logger } from '@slack/bolt'
import { errorMessage, troupeError } from '@troupe/schema'

/** What Bolt has to say, as errors for whoever runs the app. It says tokens and texts at lower levels, which are left out. */
export function boltLogger(onError: (thrown: unknown) => void, hide: (text: string) => string): Logger {
  const tell = (...parts: unknown[]): void =>
    onError(troupeError('slack_trouble', hide(parts.map(errorMessage).join(' '))))
  return {
    debug: ignore,
    info: ignore,
    warn: tell,
    error: tell,
    setLevel: ignore,
    getLevel: () => LogLevel.WARN,
    setName: ignore,
  }
}

function ignore(): void {
  // see above
}
