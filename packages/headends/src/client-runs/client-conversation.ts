import {
  failure,
  isJsonObject,
  type AgentDefinition,
  type Attachment,
  type EarlierCall,
  type EarlierMessage,
  type Failure,
  type JsonObject,
  type RunOptions,
} from '@troupe/schema'
import { isJsonTextTooDeep } from '@troupe/schema/json'

/** A message of a client that manages its conversation itself. */
export interface ClientMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly text: string
  readonly attachments?: readonly Attachment[]
  /** Calls of the client's tools in a message of the assistant. */
  readonly calls?: readonly EarlierCall[]
  /** The result in a message of a tool, whose `text` is the text of the result. */
  readonly result?: ClientResult
}

/** The result of a call that the client executed. */
export interface ClientResult {
  readonly callId: string
  /** Content in the format of MCP. */
  readonly content: readonly JsonObject[]
  readonly isError?: boolean
}

/** The input of a run and the earlier messages of its conversation. */
export interface ClientConversation {
  readonly input: string
  readonly attachments: readonly Attachment[]
  readonly earlier: readonly EarlierMessage[]
  /** Text of all system messages. */
  readonly instructions: string
}

/** Maximum characters of the system messages of a request. */
const MAX_INSTRUCTIONS = 262_144

/** Returns the text of all system messages, or a failure if it is too long. */
export function readInstructions(messages: readonly ClientMessage[]): string | Failure {
  const texts = messages.flatMap(({ role, text }) => (role === 'system' && text !== '' ? text : []))
  const instructions = texts.join('\n\n')
  if (instructions.length <= MAX_INSTRUCTIONS) return instructions
  return failure(
    'request_invalid',
    `messages: the system messages have ${instructions.length} characters, and at most ${MAX_INSTRUCTIONS} are accepted.`,
  )
}

/**
 * Converts the messages of a client to the input of an agent. System messages are not part of the conversation,
 * except for a composition, which has no prompt: they are prepended to its first user message. Consecutive
 * messages of one role are merged. With `keepsCalls`, earlier calls of the client's tools stay calls; otherwise
 * they are left out. Their results, and those at the end, then become text of the user. Returns a failure if the
 * last message is not from the user.
 */
export function toConversation(
  given: readonly ClientMessage[],
  { type }: Pick<AgentDefinition, 'type'>,
  { keepsCalls = false }: { readonly keepsCalls?: boolean } = {},
): ClientConversation | Failure {
  const instructions = readInstructions(given)
  if (typeof instructions !== 'string') return instructions
  const said = given.filter(({ role }) => role !== 'system')
  // results at the end belong to no run here, so they are the input of the next one
  const end = keepsCalls ? said.findLastIndex(({ role }) => role !== 'tool') : -1
  const messages = [...said.slice(0, end + 1), ...said.slice(end + 1).map(withoutCalls)]
  const groups: [ClientMessage, ...ClientMessage[]][] = []
  for (const message of messages) {
    const last = groups.at(-1)
    if (last?.[0].role === message.role && message.role !== 'tool') last.push(message)
    else groups.push([message])
  }
  const merged = groups.map(join)
  const first = merged.findIndex(({ role }) => role === 'user')
  const user = merged[first]
  const isComposition = type !== 'agent'
  if (user !== undefined && isComposition && instructions !== '')
    merged[first] = join([{ role: 'user', text: instructions }, user])
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
  return {
    input: text,
    attachments,
    earlier: merged.flatMap(toEarlier),
    instructions: isComposition ? '' : instructions,
  }
}

function withoutCalls({ calls: _calls, result, ...message }: ClientMessage): ClientMessage {
  return result === undefined
    ? message
    : { ...message, role: 'user', text: `Result of a tool:\n${message.text}` }
}

function toEarlier({ role, text, calls = [], result }: ClientMessage): readonly EarlierMessage[] {
  if (role === 'system') return []
  if (result !== undefined) return [{ role: 'tool', text, callId: result.callId }]
  if (calls.length > 0) return [{ role, text, calls }]
  return text === '' ? [] : [{ role, text }]
}

/** Returns the run options for the attachments, earlier messages and instructions. */
export function conversationOptions({
  attachments,
  earlier,
  instructions,
}: ClientConversation): Pick<RunOptions, 'attachments' | 'messages' | 'clientInstructions'> {
  return {
    ...(instructions === '' ? {} : { clientInstructions: instructions }),
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
  const calls = messages.flatMap((message) => message.calls ?? [])
  return { role: first.role, text: texts.join('\n\n'), attachments, calls }
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

/** Parses the arguments of an earlier call. Arguments that are not a JSON object become empty. */
export function parseArguments(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) && !isJsonTextTooDeep(text, value) ? value : {}
  } catch {
    // the model only sees that there was a call
    return {}
  }
}
