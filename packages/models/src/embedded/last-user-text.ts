import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { messageText } from '@troupe/schema'

/** The text of the last message of the user; empty when there is none. */
export function lastUserText(prompt: LanguageModelV4Prompt): string {
  const message = prompt.findLast(({ role }) => role === 'user')
  return message === undefined ? '' : messageText(message)
}
