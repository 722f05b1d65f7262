import {
  coerceToolResult,
  toolResult,
  resultText,
  type ToolResult,
  type ToolSource,
  type ContentPart,
} from '@troupe/schema'
import { isJsonTooDeep } from '@troupe/schema/json'
import { toBase64, toJson, byteLength } from '../run/json.ts'

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

/** A line of a stack trace: `    at name (file:1:2)`. */
const FRAME = /^\s+at .*(?::\d+|\)|<anonymous>)$/u

/** Removes stack frames. Some error messages contain them, and a model should not get our file paths. */
export function withoutStack(text: string): string {
  if (!text.includes('\n')) return text
  const lines = text.split('\n').filter((line) => !FRAME.test(line))
  return lines.join('\n').trimEnd()
}

const encoder = new TextEncoder()

/** Stores a full text. Returns the handle to read it, or `undefined` if it cannot be stored. */
type StoreFullText = (text: string) => string | undefined

/**
 * Truncates a result to `maxBytes` of content. Truncated text ends with a note of how much was cut and, if
 * the full text is stored, how to read on. Data that does not fit becomes a note.
 */
export function capResult(
  result: ToolResult,
  maxBytes: number,
  storeText: StoreFullText = storeNothing,
): ToolResult {
  let freeBytes = maxBytes
  let includedBytes = 0
  let isCut = false
  let isTextCut = false
  const content: ContentPart[] = []
  for (const part of result.content) {
    const size = part.type === 'data' ? part.base64.length : byteLength(part.text)
    if (size <= freeBytes && !(isTextCut && part.type === 'text')) {
      freeBytes -= size
      if (part.type === 'text') includedBytes += byteLength(part.text) + LINE_BREAK
      content.push(part)
      continue
    }
    isCut = true
    if (part.type === 'data') content.push(noteOf(part))
    else if (!isTextCut)
      content.push(cutText(part.text, { freeBytes, includedBytes, fullText: resultText(result), storeText }))
    if (part.type === 'text') isTextCut = true
    freeBytes = 0
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
  /** Bytes that may still be included. */
  readonly freeBytes: number
  /** Bytes of the full text that are already included. */
  readonly includedBytes: number
  readonly fullText: string
  readonly storeText: StoreFullText
}

/**
 * Truncates a text and appends a note. Its numbers cover all text parts, because later ones are left out too.
 */
function cutText(text: string, { freeBytes, includedBytes, fullText, storeText }: Cut): ContentPart {
  const bytes = encoder.encode(text)
  const end = wholeCharacters(bytes, freeBytes)
  const total = byteLength(fullText)
  const offset = includedBytes + end
  const handle = storeText(fullText)
  const rest =
    handle === undefined ? '' : `; call read_result with handle "${handle}" and offset ${offset} to continue`
  const beginning = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, end))
  return { type: 'text', text: `${beginning}\n[cut: ${total - offset} of ${total} bytes left out${rest}]` }
}

/** Returns true if a text ends with the note of a truncated result that was stored. */
export function mentionsHandle(text: string): boolean {
  return /; call read_result with handle "r\d+" and offset \d+ to continue\]$/u.test(text.slice(-NOTE_LENGTH))
}

const NOTE_LENGTH = 200

/** Returns the largest offset up to `end` that does not split a character. */
export function wholeCharacters(bytes: Uint8Array, end: number): number {
  let at = end
  while (at > 0 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at -= 1
  return at
}
