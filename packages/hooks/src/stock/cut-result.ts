import type { ContentPart, ToolResult } from '@troupe/schema'

const encoder = new TextEncoder()

/**
 * Cuts the text of a result to `maxBytes` and adds a note of how much was cut. Drops structured content,
 * which would still contain the cut text; binary data is kept.
 */
export function cutResult(result: ToolResult, maxBytes: number): ToolResult {
  let left = maxBytes
  let lost = 0
  const content = result.content.map((part): ContentPart => {
    if (part.type !== 'text') return part
    const bytes = encoder.encode(part.text)
    const kept = new TextDecoder().decode(bytes.subarray(0, characterBoundary(bytes, left)))
    const size = bytes.length > left ? encoder.encode(kept).length : bytes.length
    left -= size
    lost += bytes.length - size
    return bytes.length === size ? part : { type: 'text', text: kept }
  })
  if (lost === 0) return result
  const { structured: _structured, ...rest } = result
  return { ...rest, content: [...content, { type: 'text', text: `[cut: ${lost} bytes left out]` }] }
}

/** Returns the largest position at or before `end` that does not split a UTF-8 character. */
function characterBoundary(bytes: Uint8Array, end: number): number {
  let at = Math.min(end, bytes.length)
  while (at > 0 && at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at -= 1
  return at
}
