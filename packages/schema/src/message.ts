import type { LanguageModelV4Message, LanguageModelV4ToolResultOutput } from '@ai-sdk/provider'

/** A message in the provider's prompt format. Frozen when appended, shared by reference and never edited. */
export type Message = LanguageModelV4Message

/** A message of the user. */
export type UserMessage = Extract<Message, { role: 'user' }>

/** A message of the assistant. */
export type AssistantMessage = Extract<Message, { role: 'assistant' }>

/** A message with the results of tool calls. */
export type ToolMessage = Extract<Message, { role: 'tool' }>

/** The result of one call in a tool message. */
export type ToolResultPart = Extract<ToolMessage['content'][number], { type: 'tool-result' }>

/** A tool result as the model sees it. */
export type ToolResultOutput = LanguageModelV4ToolResultOutput

/** Creates a user message of plain text. */
export function userMessage(text: string): Message {
  return { role: 'user', content: [{ type: 'text', text }] }
}

/** Joins the text parts of a message. Omits reasoning, files and tool parts. */
export function messageText(message: Message): string {
  if (typeof message.content === 'string') return message.content
  let text = ''
  for (const part of message.content) if (part.type === 'text') text += part.text
  return text
}
