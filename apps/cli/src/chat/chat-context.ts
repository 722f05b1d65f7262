import type { CommandContext, LogFormat } from '../terminal/context.ts'
import type { Surface, WatchedRun } from '../watch/watch-run.ts'
import type { TeamChat } from './team-chat.ts'
import type { PickerEntry } from '../human-input/picker.ts'
import type { TeamOptions } from '../team/load-host.ts'
import type { StoreOptions } from '../run-store/open-store.ts'

export interface ChatOptions extends TeamOptions, StoreOptions {
  /** Id of the conversation to continue or to start. */
  readonly session?: string
  /** True to continue the conversation that changed last. */
  readonly continue?: boolean
  /** True to list the conversations instead of starting one. */
  readonly list?: boolean
  /** True to read all of stdin as one message, if it is not a terminal. */
  readonly whole?: boolean
  readonly timeout?: string
  readonly maxCost?: string
  readonly maxTokens?: string
  readonly yes?: boolean
  /** True if a server uses the same team, so that it cannot be replaced. */
  readonly isShared?: boolean
  /** True to reload the team when its files change. */
  readonly watch?: boolean
  readonly quiet?: boolean
  readonly verbose?: boolean
  readonly logFormat?: LogFormat
}

/** Command that is typed instead of a message. */
export interface SlashCommand {
  /** Name without the slash. */
  readonly name: string
  /** Placeholder for the argument, such as `[name]`. */
  readonly argument?: string
  readonly description: string
  /** Heading in `/help`. */
  readonly group: 'Answers' | 'Conversations' | 'Team' | 'Program'
  /**
   * Runs the command. `argument` is the trimmed text after the name. The chat prints the error if it throws
   * or rejects.
   */
  run(argument: string, chat: ChatContext): Promise<void> | void
  /** Returns the completions of the argument. */
  candidates?(chat: Pick<ChatContext, 'teamChat'>): readonly string[]
}

/** Context of the slash commands. */
export interface ChatContext {
  readonly teamChat: TeamChat
  readonly options: ChatOptions
  readonly context: CommandContext
  /** Prints lines on stderr. */
  print(lines: readonly string[]): void
  /** Runs a turn and shows it. */
  runTurn(start: (surface?: Surface) => Promise<WatchedRun>): Promise<void>
  /** Lets the user choose an entry; `undefined` without a terminal. */
  readonly pick?:
    | ((title: string, entries: readonly PickerEntry[]) => Promise<string | undefined>)
    | undefined
  /** Ends the chat after the current line. */
  exit(): void
}
