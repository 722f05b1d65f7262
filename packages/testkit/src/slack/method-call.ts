import type { IncomingMessage } from 'node:http'
import { type Json, type JsonObject, type MaybePromise, getOwn } from '@troupe/schema'
import type { FakeWorkspace } from './fake-slack.ts'
import type { FakeMessageStore } from './fake-message.ts'

/** An authenticated call of a method. */
export interface MethodCall {
  readonly workspace: FakeWorkspace
  readonly args: JsonObject
  readonly messages: FakeMessageStore
}

/** Implements a method of the Web API. Returns the fields next to `ok`, or an error. */
export type SlackMethod = (call: MethodCall) => MaybePromise<JsonObject | SlackRefusal>

/** Returns a text argument; `undefined` if it is empty or not text. */
export function textOf(args: JsonObject, key: string): string | undefined {
  const value = args[key]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Returns true if the channel belongs to the token's workspace. */
export function knowsChannel({ workspace, args }: MethodCall, key = 'channel'): boolean {
  return workspace.channels.some(({ id }) => id === args[key])
}

/** An error of the Web API: `{ ok: false, error }`. */
export interface SlackRefusal {
  readonly refused: string
}

/** Creates a Web API error. */
export function refuse(error: string): SlackRefusal {
  return { refused: error }
}

/** Returns true for an error. */
export function isRefused(answer: object | undefined): answer is SlackRefusal {
  return answer !== undefined && 'refused' in answer
}

/** Reads the body of a request as text. */
export async function readBody(incoming: IncomingMessage): Promise<string> {
  let text = ''
  incoming.setEncoding('utf8')
  for await (const chunk of incoming) text += String(chunk)
  return text
}

/**
 * Parses the token and the arguments of a call: a form whose values may be JSON, or an upload with one part.
 */
export function readArguments(
  { headers }: IncomingMessage,
  body: string,
): { readonly token: string; readonly args: JsonObject } {
  const [, bearer = ''] = /^Bearer (\S+)$/u.exec(headers.authorization ?? '') ?? []
  if (headers['content-type']?.startsWith('multipart/') === true)
    return { token: bearer, args: { body: partOf(body) } }
  const { token, ...args } = Object.fromEntries(
    [...new URLSearchParams(body)].map(([key, value]) => [key, toValue(value)]),
  )
  return { token: bearer || (typeof token === 'string' ? token : ''), args }
}

/** Parses lists and objects as JSON. Other values, even numbers, remain text. */
function toValue(text: string): Json {
  if (!/^[[{]/u.test(text)) return text
  try {
    return JSON.parse(text) as Json
  } catch {
    // text that starts with a bracket
    return text
  }
}

function partOf(body: string): string {
  const begin = body.indexOf('\r\n\r\n')
  const end = body.lastIndexOf('\r\n--')
  return body.slice(begin + 4, end)
}

/** Scopes by method, one of which is required. Methods not listed require none. */
const SCOPES: Readonly<Record<string, readonly string[]>> = {
  'assistant.threads.setStatus': ['chat:write', 'assistant:write'],
  'assistant.threads.setSuggestedPrompts': ['assistant:write'],
  'assistant.threads.setTitle': ['assistant:write'],
  'chat.appendStream': ['chat:write'],
  'chat.delete': ['chat:write'],
  'chat.postEphemeral': ['chat:write'],
  'chat.postMessage': ['chat:write'],
  'chat.startStream': ['chat:write'],
  'chat.stopStream': ['chat:write'],
  'chat.update': ['chat:write'],
  'files.completeUploadExternal': ['files:write'],
  'files.getUploadURLExternal': ['files:write'],
  'files.info': ['files:read'],
}
/** Scope suffix of methods whose scope depends on the kind of channel. */
const BY_CHANNEL: Readonly<Record<string, string>> = {
  'conversations.history': 'history',
  'conversations.info': 'read',
  'conversations.replies': 'history',
}

/** Returns the scopes of which a call requires one. */
export function neededScopes(method: string, args: JsonObject): readonly string[] {
  const right = getOwn(BY_CHANNEL, method)
  if (right === undefined) return getOwn(SCOPES, method) ?? []
  const [kind = ''] = textOf(args, 'channel') ?? ''
  return [`${getOwn({ D: 'im', G: 'groups' }, kind) ?? 'channels'}:${right}`]
}

/** Returns the name of an event in a manifest, and the scope that an app needs to receive it. */
export function eventRequirements(event: JsonObject): { readonly name: string; readonly scope?: string } {
  const type = textOf(event, 'type') ?? ''
  if (type === 'app_mention') return { name: type, scope: 'app_mentions:read' }
  if (type !== 'message') return { name: type }
  const kind = textOf(event, 'channel_type') ?? ''
  const plural = getOwn({ channel: 'channels', group: 'groups' }, kind) ?? kind
  return { name: `message.${plural}`, scope: `${plural}:history` }
}
