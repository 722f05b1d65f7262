import type { IncomingMessage } from 'node:http'
import type { Json, JsonObject } from '@troupe/schema'

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
