import { userMessage, type Message } from '@troupe/schema'

const TEXT = 'Your last answer was empty. Answer now in words, or call a tool.'

/** The messages with a word to a model that answered with nothing. For one call only: the conversation does not keep it. */
export function nudged(messages: readonly Message[]): readonly Message[] {
  return [...messages, userMessage(TEXT)]
}
