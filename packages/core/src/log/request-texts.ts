import type { Attachment, Json, JsonObject, Message } from '@troupe/schema'
import { fileText, type RunRequest } from '@troupe/schema/ports'
import { textOfValue, toBase64 } from '../run/json.ts'

/**
 * Returns all texts of a request that its model will read: the input, the values of templates, text files with
 * their names, and the messages of people and tools that the caller sent along. Messages of earlier runs are left
 * out, because each was checked in its own run.
 */
export function requestTexts(request: RunRequest): readonly Json[] {
  const texts: Json[] = []
  mapRequestTexts(request, (text) => {
    texts.push(text)
    return text
  })
  return texts
}

/** Returns the request with other texts, given in the order of {@link requestTexts}. */
export function withRequestTexts(request: RunRequest, texts: readonly Json[]): RunRequest {
  let index = -1
  return mapRequestTexts(request, () => {
    index += 1
    return texts[index] ?? ''
  })
}

function mapRequestTexts(request: RunRequest, change: (text: Json) => Json): RunRequest {
  const { values, attachments, history, callerHistory } = request
  return {
    ...request,
    input: textOfValue(change(request.input)),
    ...(values === undefined ? {} : { values: change(values) as JsonObject }),
    ...(attachments === undefined ? {} : { attachments: attachments.map((file) => mapFile(file, change)) }),
    ...(history === undefined || callerHistory === undefined
      ? {}
      : { history: history.map((message) => Object.freeze(mapMessage(message, change))) }),
  }
}

function mapFile(file: Attachment, change: (text: Json) => Json): Attachment {
  const { filename } = file
  const text = fileText(file)
  return {
    ...file,
    ...(filename === undefined ? {} : { filename: textOfValue(change(filename)) }),
    ...(text === undefined ? {} : { data: encodeText(textOfValue(change(text))) }),
  }
}

/** Encodes a text as base64 of UTF-8. */
export function encodeText(text: string): string {
  return toBase64(new TextEncoder().encode(text))
}

/** Applies `change` to every text of a message that a person or a tool wrote. */
function mapMessage(message: Message, change: (text: Json) => Json): Message {
  if (message.role !== 'user' && message.role !== 'tool') return message
  const content = message.content.map((part) => {
    if (part.type === 'text') return { ...part, text: textOfValue(change(part.text)) }
    if (part.type !== 'tool-result') return part
    const { output } = part
    if (output.type === 'text' || output.type === 'error-text')
      return { ...part, output: { ...output, value: textOfValue(change(output.value)) } }
    if (output.type === 'json' || output.type === 'error-json')
      return { ...part, output: { ...output, value: change(output.value as Json) } }
    if (output.type !== 'content') return part
    const value = output.value.map((item) =>
      item.type === 'text' ? { ...item, text: textOfValue(change(item.text)) } : item,
    )
    return { ...part, output: { ...output, value } }
  })
  return { ...message, content } as Message
}
