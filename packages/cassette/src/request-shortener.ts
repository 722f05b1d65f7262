import { canonicalJson, isJsonObject, type Json, type JsonObject } from '@troupe/schema'

/** Shortens the model requests of one run: each result holds only what the request before it did not. */
export type RequestShortener = (request: JsonObject) => JsonObject

/**
 * Creates the function for one run. A shortened request holds the number of messages it repeats from the
 * previous one, the messages it adds, and its tools and settings if they changed.
 */
export function createRequestShortener(): RequestShortener {
  let previousTexts: readonly string[] = []
  let previousRest = ''
  return ({ prompt, tools, ...settings }) => {
    const messages = Array.isArray(prompt) ? (prompt as readonly Json[]) : []
    const texts = messages.map((message) => canonicalJson(message))
    let repeated = 0
    while (repeated < previousTexts.length && previousTexts[repeated] === texts[repeated]) repeated += 1
    previousTexts = texts
    const names = { ...(Array.isArray(tools) ? { tools: tools.map(nameOf) } : {}), ...settings }
    const isNew = canonicalJson(names) !== previousRest
    previousRest = canonicalJson(names)
    return {
      messages: messages.slice(repeated),
      ...(repeated === 0 ? {} : { after: repeated }),
      ...(isNew ? names : {}),
    }
  }
}

function nameOf(tool: unknown): Json {
  return isJsonObject(tool) ? (tool['name'] ?? null) : null
}
