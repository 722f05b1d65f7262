import {
  coerceToolResult,
  isJsonTooDeep,
  MAX_JSON_DEPTH,
  toolResult,
  type Json,
  type ToolResult,
  type ToolSource,
} from '@troupe/schema'

/**
 * Converts the return value of a tool to a result. Accepts a `ToolResult`, an MCP result, `{type:
 * 'json'|'text', value}`, bytes, text, or any other value, which becomes JSON. The structured value of an MCP
 * result was already checked when it was received.
 */
export function normaliseResult(value: unknown, source?: ToolSource): ToolResult {
  if (value === undefined || value === null) return toolResult.text('')
  if (typeof value === 'string') return toolResult.text(value)
  if (value instanceof Uint8Array) return bytesResult(value)
  const result = coerceToolResult(value)
  if (result !== undefined) return source === 'mcp' ? result : withinDepth(result)
  if (isTyped(value))
    return value.type === 'text' ? toolResult.text(String(value.value)) : toolResult.json(toJson(value.value))
  return toolResult.json(toJson(value))
}

/** Replaces parts of the structured value that are nested too deep. */
export function withinDepth(result: ToolResult): ToolResult {
  const { structured } = result
  if (structured === undefined || !isJsonTooDeep(structured)) return result
  return { ...result, structured: toJson(structured) }
}

/**
 * Converts any value to JSON. BigInt and dates become text, cycles and too deep nesting become markers,
 * functions and `undefined` are left out.
 */
export function toJson(value: unknown): Json {
  return convert(value, new Set(), 0) ?? null
}

function convert(value: unknown, above: Set<object>, depth: number): Json | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return Number.isFinite(value) ? value : String(value)
    case 'bigint':
      return value.toString()
    case 'object':
      return value === null ? null : convertObject(value, above, depth)
    default:
      return undefined
  }
}

function convertObject(value: object, above: Set<object>, depth: number): Json {
  if (above.has(value)) return '[circular]'
  if (depth >= MAX_JSON_DEPTH) return '[too deep]'
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString()
  if (value instanceof Error) return { name: value.name, message: value.message }
  if (value instanceof Uint8Array) return toBase64(value)
  above.add(value)
  const json = convertMembers(value, above, depth + 1)
  above.delete(value)
  return json
}

function convertMembers(value: object, above: Set<object>, depth: number): Json {
  if (Array.isArray(value) || value instanceof Set)
    return Array.from(value, (item) => convert(item, above, depth) ?? null)
  const entries =
    value instanceof Map
      ? Array.from(value, ([key, member]) => [String(key), member] as const)
      : Object.entries(value)
  const json: Record<string, Json> = {}
  for (const [key, member] of entries) {
    const converted = convert(member, above, depth)
    if (converted !== undefined)
      Object.defineProperty(json, key, {
        value: converted,
        enumerable: true,
        writable: true,
        configurable: true,
      })
  }
  return json
}

function isTyped(value: unknown): value is { readonly type: 'json' | 'text'; readonly value: unknown } {
  if (typeof value !== 'object' || value === null || !('type' in value) || !('value' in value)) return false
  return (value.type === 'json' || value.type === 'text') && Object.keys(value).length === 2
}

function bytesResult(bytes: Uint8Array): ToolResult {
  return {
    outcome: 'completed',
    content: [{ type: 'data', mediaType: 'application/octet-stream', base64: toBase64(bytes) }],
  }
}

function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}
