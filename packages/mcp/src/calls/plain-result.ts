import { coerceToolResult, isJsonObject, type Json, type JsonObject, type ToolResult } from '@troupe/schema'

/**
 * The result of an answer in which there is nothing but text and an object, as every revision of the protocol has it. Undefined for all others: errors,
 * questions back, data, what is of a form that the SDK would not take.
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

/** The newer protocol says what a result is, the older one has only one kind. */
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
