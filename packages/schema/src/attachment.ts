import { userMessage, type Message, type UserMessage } from './message.ts'

/** An image or another file that is sent to the model with a message. Plain JSON. */
export interface Attachment {
  /** Media type such as `image/png`, `application/pdf` or `text/plain`. */
  readonly mediaType: string
  /** Content in base64. */
  readonly data: string
  readonly filename?: string
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
