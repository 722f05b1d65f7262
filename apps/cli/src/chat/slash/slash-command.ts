import type { Chat } from '../chat.ts'

/** A command that is typed in place of a message. */
export interface SlashCommand {
  /** Without the slash. */
  readonly name: string
  /** What may stand behind it, such as `[name]`. */
  readonly argument?: string
  readonly description: string
  /** `argument` is what stands behind the name, trimmed; empty: nothing. Rejects with what went wrong: the chat tells it and goes on. */
  run(argument: string, chat: Chat): Promise<void> | void
  /** What the argument may be. */
  candidates?(chat: Pick<Chat, 'talk'>): readonly string[]
}
