import { failure, type Attachment, type EarlierMessage, type Failure, type RunOptions } from '@troupe/schema'

/** A message of a client that manages its conversation itself. */
export interface ClientMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly text: string
  readonly attachments?: readonly Attachment[]
}

/** The input of a run and the earlier messages of its conversation. */
export interface ClientConversation {
  readonly input: string
  readonly attachments: readonly Attachment[]
  readonly earlier: readonly EarlierMessage[]
}

/**
 * Converts the messages of a client to the input of an agent. System messages are prepended to the first user
 * message, so that the agent keeps its own prompt. Consecutive messages of one role are merged. Returns a
 * failure if the last message is not from the user.
 */
export function toConversation(messages: readonly ClientMessage[]): ClientConversation | Failure {
  const system = messages.filter(({ role }) => role === 'system').map(({ text }) => text)
  const groups: [ClientMessage, ...ClientMessage[]][] = []
  for (const message of messages) {
    if (message.role === 'system') continue
    const last = groups.at(-1)
    if (last?.[0].role === message.role) last.push(message)
    else groups.push([message])
  }
  const merged = groups.map(join)
  const first = merged.findIndex(({ role }) => role === 'user')
  const user = merged[first]
  if (user !== undefined && system.length > 0)
    merged[first] = join([{ role: 'user', text: system.join('\n\n') }, user])
  const last = merged.pop()
  if (last?.role !== 'user')
    return failure(
      'request_invalid',
      'messages: the last message must be from the user.',
      'Add a user message at the end.',
    )
  const { text, attachments = [] } = last
  if (text === '' && attachments.length === 0)
    return failure(
      'request_invalid',
      'messages: the last message is empty.',
      'Send a message with text or a file.',
    )
  const earlier = merged.flatMap(({ role, text: content }) =>
    role === 'system' || content === '' ? [] : [{ role, text: content }],
  )
  return { input: text, attachments, earlier }
}

/** Returns the run options for the attachments and earlier messages. */
export function conversationOptions({
  attachments,
  earlier,
}: ClientConversation): Pick<RunOptions, 'attachments' | 'messages'> {
  return {
    ...(attachments.length === 0 ? {} : { attachments }),
    ...(earlier.length === 0 ? {} : { messages: earlier }),
  }
}

/** Joins all messages at once; joining them one by one would take quadratic time. */
function join(messages: readonly [ClientMessage, ...ClientMessage[]]): ClientMessage {
  const [first] = messages
  if (messages.length === 1) return first
  const texts = messages.map(({ text }) => text).filter((text) => text !== '')
  const attachments = messages.flatMap((message) => message.attachments ?? [])
  return { role: first.role, text: texts.join('\n\n'), attachments }
}

/**
 * Parses a base64 `data:` URL. Returns `undefined` for any other URL, because the server fetches no files for
 * clients.
 */
export function fromDataUrl(url: string, filename?: string): Attachment | undefined {
  const [, mediaType, data] =
    /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w=.-]+)*;base64,([A-Za-z\d+/]*={0,2})$/u.exec(url) ?? []
  if (mediaType === undefined || data === undefined) return undefined
  return { mediaType, data, ...(filename === undefined ? {} : { filename }) }
}
