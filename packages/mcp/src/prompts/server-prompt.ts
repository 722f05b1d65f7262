import type { ContentPart } from '@troupe/schema'

/** A prompt in the server's list: a message template that the server renders. */
export interface ServerPrompt {
  /** The server's own name of the prompt. */
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly arguments: readonly PromptArgument[]
}

/** An argument of a prompt. Its value is always text. */
export interface PromptArgument {
  readonly name: string
  readonly description: string
  readonly required: boolean
}

/** One message of a rendered prompt. */
export interface PromptMessage {
  readonly role: 'user' | 'assistant'
  readonly content: readonly ContentPart[]
}

/** A rendered prompt. */
export interface FilledPrompt {
  readonly messages: readonly PromptMessage[]
}
