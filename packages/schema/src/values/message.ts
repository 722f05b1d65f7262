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

/** An image or another file that is sent to the model with a message. Plain JSON. */
export interface Attachment {
  /** Media type such as `image/png`, `application/pdf` or `text/plain`. */
  readonly mediaType: string
  /** Content in base64. */
  readonly data: string
  readonly filename?: string
}

/** A file of an answer. Plain JSON. */
export interface OutputFile {
  /** Media type such as `image/png`, `audio/wav` or `text/plain`. */
  readonly mediaType: string
  /** Content in base64; `undefined` if the file is only linked by its `uri`. */
  readonly data?: string
  readonly filename?: string
  /** Address of the file at the tool or the provider that it is from. */
  readonly uri?: string
}

type UserPart = UserMessage['content'][number]

/**
 * Creates the first message of a run: the text, then the files. Text files become text parts, which every
 * model reads.
 */
export function inputMessage(text: string, attachments: readonly Attachment[] = []): Message {
  if (attachments.length === 0) return userMessage(text)
  const files = attachments.map(toPart)
  // some providers reject an empty text part
  const words: readonly UserPart[] = text === '' ? [] : [{ type: 'text', text }]
  return { role: 'user', content: [...words, ...files] }
}

/** Returns the text of a text file, or `undefined` for any other file. */
export function fileText({ mediaType, data }: Pick<OutputFile, 'mediaType' | 'data'>): string | undefined {
  return data !== undefined && isText(mediaType) ? decode(data) : undefined
}

function toPart({ mediaType, data, filename }: Attachment): UserPart {
  if (isText(mediaType)) return { type: 'text', text: `${filename ?? 'A file'}:\n\n${decode(data)}` }
  return {
    type: 'file',
    mediaType,
    data: { type: 'data', data },
    ...(filename === undefined ? {} : { filename }),
  }
}

function isText(mediaType: string): boolean {
  return mediaType.startsWith('text/') || mediaType === 'application/json'
}

function decode(base64: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)))
}
