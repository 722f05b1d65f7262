import type { CommandContext } from '../context.ts'
import type { Surface, WatchedRun } from '../watch/watch-run.ts'
import type { ChatOptions } from './chat-options.ts'
import type { Talk } from './talk.ts'

/** What the commands of a chat work with. */
export interface Chat {
  readonly talk: Talk
  readonly options: ChatOptions
  readonly context: CommandContext
  /** Writes lines on stderr. */
  tell(lines: readonly string[]): void
  /** Takes a turn and shows it as every other. */
  take(start: (surface?: Surface) => Promise<WatchedRun>): Promise<void>
  /** Nothing more is said. */
  leave(): void
}
