import { coerceToolResult, isJsonTooDeep, toolResult, type ToolResult, type ToolSource } from '@troupe/schema'
import { toBase64, toJson } from '../run/json.ts'

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
