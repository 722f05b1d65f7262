import { coerceToolResult, isJsonObject, type Json, type JsonObject, type ToolResult } from '@troupe/schema'

/**
 * Returns the result if the response contains only text and structured content, which is the same in every
 * protocol revision. Returns `undefined` for errors, requests for input, binary data and anything the SDK
 * would reject.
 */
export function plainResult(
  { result }: JsonObject,
  { era }: { readonly era: 'modern' | 'legacy' },
): ToolResult | undefined {
  if (!isJsonObject(result) || !isFinal(result['resultType'], era)) return undefined
  const { content, structuredContent, isError } = result
  if (!Array.isArray(content) || !content.every(isText)) return undefined
  if (structuredContent !== undefined && !isJsonObject(structuredContent)) return undefined
  if (isError !== undefined && typeof isError !== 'boolean') return undefined
  return coerceToolResult(result)
}

/** Returns true for a final result. Only the newer protocol sends `resultType`. */
function isFinal(resultType: Json | undefined, era: 'modern' | 'legacy'): boolean {
  return resultType === (era === 'modern' ? 'complete' : undefined)
}

function isText(block: Json): boolean {
  return (
    isJsonObject(block) &&
    block['type'] === 'text' &&
    typeof block['text'] === 'string' &&
    block['annotations'] === undefined
  )
}
