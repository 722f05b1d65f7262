import type { CommandContext } from '../terminal/context.ts'
import type { Surface, WatchedRun } from '../watch/watch-run.ts'
import type { ChatOptions } from './chat-options.ts'
import type { TeamChat } from './team-chat.ts'

/** Context of the slash commands. */
export interface ChatContext {
  readonly teamChat: TeamChat
  readonly options: ChatOptions
  readonly context: CommandContext
  /** Prints lines on stderr. */
  print(lines: readonly string[]): void
  /** Runs a turn and shows it. */
  runTurn(start: (surface?: Surface) => Promise<WatchedRun>): Promise<void>
  /** Ends the chat after the current line. */
  exit(): void
}
