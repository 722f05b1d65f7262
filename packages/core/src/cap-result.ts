import type { ContentPart, ToolResult } from '@troupe/schema'

const encoder = new TextEncoder()

/** The length of text in UTF-8 bytes. */
export function byteLength(text: string): number {
  return NOT_ASCII.test(text) ? encoder.encode(text).length : text.length
}

const NOT_ASCII = /[\u0080-\uffff]/

/** The result with at most `maxBytes` of content. Text keeps its start and says how much was cut; data that does not fit becomes a note. */
export function capResult(result: ToolResult, maxBytes: number): ToolResult {
  let left = maxBytes
  let isCut = false
  const content = result.content.map((part): ContentPart => {
    const size = partSize(part, left)
    if (size <= left) {
      left -= size
      return part
    }
    isCut = true
    const capped = cutPart(part, left)
    left = 0
    return capped
  })
  if (!isCut) return result
  const { structured: _, ...rest } = result
  return { ...rest, content }
}

/** Text is only measured when it may be too long: a UTF-16 unit is at most three bytes. */
function partSize(part: ContentPart, left: number): number {
  if (part.type === 'data') return part.base64.length
  return part.text.length * 3 <= left ? part.text.length * 3 : byteLength(part.text)
}

function cutPart(part: ContentPart, left: number): ContentPart {
  if (part.type === 'data')
    return { type: 'text', text: `[${part.mediaType} of ${part.base64.length} base64 bytes left out]` }
  const bytes = encoder.encode(part.text)
  const kept = new TextDecoder().decode(bytes.subarray(0, wholeCharacters(bytes, left)))
  return {
    type: 'text',
    text: `${kept}\n[cut: ${bytes.length - byteLength(kept)} of ${bytes.length} bytes left out]`,
  }
}

/** The largest end at or before `end` that does not split a character. */
function wholeCharacters(bytes: Uint8Array, end: number): number {
  let at = end
  while (at > 0 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at -= 1
  return at
}
