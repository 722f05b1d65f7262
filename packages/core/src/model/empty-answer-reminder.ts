import { userMessage, type Message } from '@troupe/schema'

const TEXT = 'Your last answer was empty. Answer now in words, or call a tool.'

/**
 * Appends a reminder after an empty answer. For one call only: it does not become part of the conversation.
 */
export function addEmptyAnswerReminder(messages: readonly Message[]): readonly Message[] {
  return [...messages, userMessage(TEXT)]
}
