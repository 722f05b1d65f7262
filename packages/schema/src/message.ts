import type { LanguageModelV4Message, LanguageModelV4ToolResultOutput } from '@ai-sdk/provider'

/** A message in the provider's prompt form. Frozen when appended, shared by reference, never edited. */
export type Message = LanguageModelV4Message

/** What a model is shown of a tool result. */
export type ToolResultOutput = LanguageModelV4ToolResultOutput

/** One user message of plain text. */
export function userMessage(text: string): Message {
  return { role: 'user', content: [{ type: 'text', text }] }
}

/** The text of a message: its text parts, joined. Reasoning, files and tool parts are left out. */
export function messageText(message: Message): string {
  if (typeof message.content === 'string') return message.content
  let text = ''
  for (const part of message.content) if (part.type === 'text') text += part.text
  return text
}
