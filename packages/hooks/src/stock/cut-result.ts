import type { ContentPart, ToolResult } from '@troupe/schema'

const encoder = new TextEncoder()

/** The result with at most `maxBytes` of text, which says how much was cut. Structured content would still hold what was cut and goes; data stays. */
export function cutResult(result: ToolResult, maxBytes: number): ToolResult {
  let left = maxBytes
  let lost = 0
  const content = result.content.map((part): ContentPart => {
    if (part.type !== 'text') return part
    const bytes = encoder.encode(part.text)
    const kept = new TextDecoder().decode(bytes.subarray(0, wholeCharacters(bytes, left)))
    const size = bytes.length > left ? encoder.encode(kept).length : bytes.length
    left -= size
    lost += bytes.length - size
    return bytes.length === size ? part : { type: 'text', text: kept }
  })
  if (lost === 0) return result
  const { structured: _structured, ...rest } = result
  return { ...rest, content: [...content, { type: 'text', text: `[cut: ${lost} bytes left out]` }] }
}

/** The largest end at or before `end` that does not split a character. */
function wholeCharacters(bytes: Uint8Array, end: number): number {
  let at = Math.min(end, bytes.length)
  while (at > 0 && at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at -= 1
  return at
}
