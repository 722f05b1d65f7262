import { userMessage, type Message } from './message.ts'

/** A picture or another file that goes to a model with a message. Plain JSON. */
export interface Attachment {
  /** Such as `image/png`, `application/pdf` or `text/plain`. */
  readonly mediaType: string
  /** Base64. */
  readonly data: string
  readonly filename?: string
}

type UserMessage = Extract<Message, { role: 'user' }>
type UserPart = UserMessage['content'][number]

/** The first message of a run: its text, then its files. Text files are put in as text, which every model reads. */
export function inputMessage(text: string, attachments: readonly Attachment[] = []): Message {
  if (attachments.length === 0) return userMessage(text)
  const files = attachments.map(toPart)
  // some providers refuse a text part that is empty
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
