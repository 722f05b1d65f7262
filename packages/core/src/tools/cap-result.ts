import { resultText, type ContentPart, type ToolResult } from '@troupe/schema'
import { byteLength } from '../run/json.ts'

const encoder = new TextEncoder()

/** Stores a full text. Returns the handle to read it, or `undefined` if it cannot be stored. */
export type StoreFullText = (text: string) => string | undefined

/**
 * Truncates a result to `maxBytes` of content. Truncated text ends with a note of how much was cut and, if
 * the full text is stored, how to read on. Data that does not fit becomes a note.
 */
export function capResult(
  result: ToolResult,
  maxBytes: number,
  storeText: StoreFullText = storeNothing,
): ToolResult {
  let left = maxBytes
  let shown = 0
  let isCut = false
  let isTextCut = false
  const content: ContentPart[] = []
  for (const part of result.content) {
    const size = part.type === 'data' ? part.base64.length : byteLength(part.text)
    if (size <= left && !(isTextCut && part.type === 'text')) {
      left -= size
      if (part.type === 'text') shown += byteLength(part.text) + LINE_BREAK
      content.push(part)
      continue
    }
    isCut = true
    if (part.type === 'data') content.push(noteOf(part))
    else if (!isTextCut)
      content.push(cutText(part.text, { left, shown, whole: resultText(result), storeText }))
    if (part.type === 'text') isTextCut = true
    left = 0
  }
  if (!isCut) return result
  const { structured: _, ...rest } = result
  return { ...rest, content }
}

const LINE_BREAK = 1

function storeNothing(): undefined {
  return undefined
}

function noteOf({ mediaType, base64 }: Extract<ContentPart, { readonly type: 'data' }>): ContentPart {
  return { type: 'text', text: `[${mediaType} of ${base64.length} base64 bytes left out]` }
}

interface Cut {
  /** Bytes that may still be shown. */
  readonly left: number
  /** Bytes of the full text that are already shown. */
  readonly shown: number
  readonly whole: string
  readonly storeText: StoreFullText
}

/**
 * Truncates a text and appends a note. Its numbers cover all text parts, because later ones are left out too.
 */
function cutText(text: string, { left, shown, whole, storeText }: Cut): ContentPart {
  const bytes = encoder.encode(text)
  const end = wholeCharacters(bytes, left)
  const total = byteLength(whole)
  const offset = shown + end
  const handle = storeText(whole)
  const rest =
    handle === undefined ? '' : `; read_result with handle "${handle}" and offset ${offset} reads on`
  const kept = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, end))
  return { type: 'text', text: `${kept}\n[cut: ${total - offset} of ${total} bytes left out${rest}]` }
}

/** Returns true if a text ends with the note of a truncated result that was stored. */
export function mentionsHandle(text: string): boolean {
  return /; read_result with handle "r\d+" and offset \d+ reads on\]$/u.test(text.slice(-NOTE_LENGTH))
}

const NOTE_LENGTH = 200

/** Returns the largest offset up to `end` that does not split a character. */
export function wholeCharacters(bytes: Uint8Array, end: number): number {
  let at = end
  while (at > 0 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at -= 1
  return at
}
