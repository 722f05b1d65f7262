import type { IncomingMessage } from 'node:http'
import type { Json, JsonObject, MaybePromise } from '@troupe/schema'
import type { FakeWorkspace } from './fake-workspace.ts'
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
