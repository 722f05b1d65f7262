import type { ChatContext } from '../chat-context.ts'

/** Command that is typed instead of a message. */
export interface SlashCommand {
  /** Name without the slash. */
  readonly name: string
  /** Placeholder for the argument, such as `[name]`. */
  readonly argument?: string
  readonly description: string
  /**
   * Runs the command. `argument` is the trimmed text after the name. The chat prints the error if it throws
   * or rejects.
   */
  run(argument: string, chat: ChatContext): Promise<void> | void
  /** Returns the completions of the argument. */
  candidates?(chat: Pick<ChatContext, 'teamChat'>): readonly string[]
}
