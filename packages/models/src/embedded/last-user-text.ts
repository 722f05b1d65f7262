import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { messageText } from '@troupe/schema'

/** Returns the text of the last user message, or an empty string if there is none. */
export function lastUserText(prompt: LanguageModelV4Prompt): string {
  const message = prompt.findLast(({ role }) => role === 'user')
  return message === undefined ? '' : messageText(message)
}
