import { isJsonTextTooDeep, MAX_JSON_DEPTH, type Json } from '@troupe/schema'

const FENCE = '```'

/** The JSON value of an answer, or a sentence that describes the problem. */
export type ParsedAnswer = { readonly value: Json } | { readonly problem: string }

/**
 * Parses the JSON of an answer, with or without a fence around it. On request, a single fenced block among
 * other text is accepted too.
 */
export function parseAnswer(
  text: string,
  options: { readonly allowSurroundingText?: boolean } = {},
): ParsedAnswer {
  const trimmed = text.trim()
  const isFenced = trimmed.length > 2 * FENCE.length && trimmed.startsWith(FENCE) && trimmed.endsWith(FENCE)
  const parsed = parse(isFenced ? bodyOf(trimmed.slice(FENCE.length, -FENCE.length)) : trimmed)
  if (parsed !== NOT_JSON || options.allowSurroundingText !== true) return parsed
  const parts = text.split(FENCE)
  return parts.length === 3 ? parse(bodyOf(parts[1] ?? '')) : NOT_JSON
}

/** Returns the content of a fenced block. Empty if its language is not JSON. */
function bodyOf(block: string): string {
  const line = block.indexOf('\n')
  const language = block.slice(0, Math.max(0, line)).trim().toLowerCase()
  return line !== -1 && (language === '' || language === 'json') ? block.slice(line + 1) : ''
}

function parse(text: string): ParsedAnswer {
  try {
    const value = JSON.parse(text) as Json
    return isJsonTextTooDeep(text, value) ? TOO_DEEP : { value }
  } catch {
    // not JSON
    return NOT_JSON
  }
}

const NOT_JSON: ParsedAnswer = { problem: 'The answer is not JSON.' }
const TOO_DEEP: ParsedAnswer = { problem: `The answer is nested more than ${MAX_JSON_DEPTH} deep.` }
