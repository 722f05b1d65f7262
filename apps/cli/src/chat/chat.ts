import type { CommandContext } from '../context.ts'
import type { Surface, WatchedRun } from '../watch/watch-run.ts'
import type { ChatOptions } from './chat-options.ts'
import type { Talk } from './talk.ts'

/** Context of the slash commands. */
export interface Chat {
  readonly talk: Talk
  readonly options: ChatOptions
  readonly context: CommandContext
  /** Prints lines on stderr. */
  tell(lines: readonly string[]): void
  /** Runs a turn and shows it. */
  take(start: (surface?: Surface) => Promise<WatchedRun>): Promise<void>
  /** Ends the chat after the current line. */
  leave(): void
}
