import { getOwn, isJsonObject, type JsonObject } from '@troupe/schema'

/** Members of a request that only Troupe sets. */
export const OWN_MEMBERS: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'input',
  'contents',
  'system',
  'instructions',
  'systemInstruction',
  'tools',
  'stream',
  'stream_options',
])

/** Creates a `fetch` that adds members to every JSON body, over those that the adapter sets. */
export function withExtraBody(send: typeof fetch, extra: JsonObject): typeof fetch {
  return async (input, init = {}) => {
    if (typeof init.body !== 'string') return send(input, init)
    const body: unknown = JSON.parse(init.body)
    return send(input, isJsonObject(body) ? { ...init, body: JSON.stringify(merge(body, extra)) } : init)
  }
}

function merge(body: JsonObject, extra: JsonObject): JsonObject {
  const merged = Object.entries(extra).map(([key, value]) => {
    const present = getOwn(body, key)
    return [key, isJsonObject(present) && isJsonObject(value) ? merge(present, value) : value] as const
  })
  return { ...body, ...Object.fromEntries(merged) }
}
