import type { ContentPart } from '@troupe/schema'

/** A prompt as its server describes it: a template of messages, filled in by the server. */
export interface ServerPrompt {
  /** The server's own name for it. */
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly arguments: readonly PromptArgument[]
}

/** What a prompt is filled in with; always text. */
export interface PromptArgument {
  readonly name: string
  readonly description: string
  readonly required: boolean
}

/** One message of a prompt that was filled in. */
export interface PromptMessage {
  readonly role: 'user' | 'assistant'
  readonly content: readonly ContentPart[]
}

/** A prompt that was filled in. */
export interface FilledPrompt {
  readonly messages: readonly PromptMessage[]
}
