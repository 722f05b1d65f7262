import type { Message } from '@troupe/schema'
import type { ModelHandle } from '@troupe/schema/ports'
import type { LoggedRun } from '../log/run-log.ts'

/** A run with the conversation of its model. */
export interface ConversationRun extends LoggedRun {
  readonly conversation: ModelConversation
}

/** Token count that a provider reported for a conversation, up to and including its answer. */
interface ReportedTokens {
  readonly handle: ModelHandle
  readonly tokens: number
  /** Number of messages of the view that the tokens cover. */
  readonly length: number
  /** System message that the tokens cover. */
  readonly system: string
}

/** The messages between one run and its model. Only the loop appends to them. */
export class ModelConversation {
  /** Number of messages before those of the run itself. */
  readonly historyLength: number
  /** Token count that a provider last reported for the view. */
  reportedTokens: ReportedTokens | undefined
  readonly #messages: Message[]
  /** The list of all messages until it must be shortened, then a separate list. */
  #view: Message[]
  #dropped = 0

  constructor(history: readonly Message[], own: readonly Message[] = []) {
    this.historyLength = history.length
    this.#messages = [...history, ...own]
    this.#view = this.#messages
  }

  get messages(): readonly Message[] {
    return this.#messages
  }

  /** Messages that are sent to the model. */
  get view(): readonly Message[] {
    return this.#view
  }

  /** Number of messages that the view leaves out. */
  get dropped(): number {
    return this.#dropped
  }

  /** Messages of the run itself, without the history. */
  get own(): readonly Message[] {
    return this.#messages.slice(this.historyLength)
  }

  /** Appends a message. The message is frozen and shared from then on. */
  append(message: Message): void {
    this.#messages.push(Object.freeze(message))
    if (this.#view !== this.#messages) this.#view.push(message)
  }

  /** Replaces the messages that are sent to the model. */
  shorten(view: Message[], dropped: number): void {
    this.#view = view
    this.#dropped = dropped
    this.reportedTokens = undefined
  }

  /** Removes the messages of the run itself. */
  reset(): void {
    this.#messages.length = this.historyLength
    this.shorten(this.#messages, 0)
  }
}
