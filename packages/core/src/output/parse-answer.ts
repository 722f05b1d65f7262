import type { Json } from '@troupe/schema'

const FENCE = '```'

/**
 * The JSON value of an answer, also where all of it stands in one fenced block; undefined when it is not JSON. `amongWords`: the one fenced
 * block of an answer that also talks counts, too.
 */
export function parseAnswer(text: string, options: { readonly amongWords?: boolean } = {}): Json | undefined {
  const trimmed = text.trim()
  const isFenced = trimmed.length > 2 * FENCE.length && trimmed.startsWith(FENCE) && trimmed.endsWith(FENCE)
  const value = parse(isFenced ? bodyOf(trimmed.slice(FENCE.length, -FENCE.length)) : trimmed)
  if (value !== undefined || options.amongWords !== true) return value
  const parts = text.split(FENCE)
  return parts.length === 3 ? parse(bodyOf(parts[1] ?? '')) : undefined
}

/** A fenced block without the name of its language; nothing of another language. */
function bodyOf(block: string): string {
  const line = block.indexOf('\n')
  const language = block.slice(0, Math.max(0, line)).trim().toLowerCase()
  return line !== -1 && (language === '' || language === 'json') ? block.slice(line + 1) : ''
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    // not JSON: the caller decides what that means
    return undefined
  }
}
