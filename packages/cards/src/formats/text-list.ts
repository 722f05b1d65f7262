import type { Json } from '@troupe/schema'
import type { FieldPath } from '../card/problem.ts'

/** An item of a list with its path. */
export interface ListedText {
  readonly text: string
  readonly at: FieldPath
}

/**
 * Reads a list of texts, or a text with commas, of which those in brackets do not separate, as in `Bash(a,
 * b)`. Returns `undefined` for anything else.
 */
export function textList(value: Json, at: FieldPath): readonly ListedText[] | undefined {
  if (typeof value === 'string') return splitList(value).map((text) => ({ text, at }))
  if (!Array.isArray(value)) return undefined
  const items = value as readonly Json[]
  if (!items.every((item) => typeof item === 'string')) return undefined
  return items.map((text, index) => ({ text: text.trim(), at: [...at, index] }))
}

function splitList(text: string): readonly string[] {
  return text
    .replace(/^\s*\[|\]\s*$/gu, '')
    .split(/,(?![^()]*\))/u)
    .map((part) => part.trim().replace(/^(["'])(.*)\1$/u, '$2'))
    .filter((part) => part !== '')
}
