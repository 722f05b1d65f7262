import { canonicalJson, isJsonObject, type Json, type JsonObject } from '@troupe/schema'

/** What one run asks its models, each time said as far as it is new. */
export type Asked = (request: JsonObject) => JsonObject

/** Begins with a run. A request says how many messages of the one before it keeps, those it adds, and its tools and settings where they are others. */
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
