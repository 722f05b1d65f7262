import { canonicalJson, isJsonObject, type Json, type JsonObject } from '@troupe/schema'

/** Shortens the model requests of one run: each result holds only what the request before it did not. */
export type Asked = (request: JsonObject) => JsonObject

/**
 * Creates the function for one run. A shortened request holds the number of messages it repeats from the
 * previous one, the messages it adds, and its tools and settings if they changed.
 */
export function createAsked(): Asked {
  let before: readonly string[] = []
  let rest = ''
  return ({ prompt, tools, ...settings }) => {
    const messages = Array.isArray(prompt) ? (prompt as readonly Json[]) : []
    const texts = messages.map((message) => canonicalJson(message))
    let kept = 0
    while (kept < before.length && before[kept] === texts[kept]) kept += 1
    before = texts
    const names = { ...(Array.isArray(tools) ? { tools: tools.map(nameOf) } : {}), ...settings }
    const isNew = canonicalJson(names) !== rest
    rest = canonicalJson(names)
    return {
      messages: messages.slice(kept),
      ...(kept === 0 ? {} : { after: kept }),
      ...(isNew ? names : {}),
    }
  }
}

function nameOf(tool: unknown): Json {
  return isJsonObject(tool) ? (tool['name'] ?? null) : null
}
