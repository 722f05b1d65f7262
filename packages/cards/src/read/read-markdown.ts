import type { JsonObject } from '@troupe/schema'
import type { CardPosition, CardProblem } from '../card/card-types.ts'
import { toProblem } from '../card/problem.ts'
import { readCardText, readLooseCardText } from '../file/card-text.ts'
import { readText } from './read-card.ts'

/** A Markdown file with front matter other than a card, such as a SKILL.md. */
export interface MarkdownFile {
  readonly fields: JsonObject
  readonly body: string
  /** Returns the position of a key. */
  positionOf(path: readonly (string | number)[]): CardPosition | undefined
}

/**
 * Reads front matter and prose with the limits of a card. Accepts text without the quotes that YAML requires;
 * nothing is evaluated. Never throws.
 */
export function readMarkdown(path: string): MarkdownFile | { readonly problem: CardProblem } {
  const text = readText(path)
  const read = typeof text === 'string' ? readLooseCardText(text, 'markdown') : text
  if ('problem' in read) return { problem: toProblem(read.problem, path, read.position) }
  const { fields, body = '', positionOf } = read
  return { fields, body, positionOf }
}

/** The object of a JSON or YAML text with the positions of its keys, or the reason it cannot be read. */
export type JsonReadResult =
  | {
      readonly value: JsonObject
      /** Returns the position of a key or list item, or of the nearest one around it. */
      positionOf(path: readonly (string | number)[]): CardPosition | undefined
    }
  | { readonly message: string; readonly position: CardPosition }

/**
 * Reads a text such as troupe.json with the limits of a card: size, depth, no duplicate keys, no `__proto__`.
 * Never throws, and messages do not quote the text.
 */
export function readJsonObject(text: string): JsonReadResult {
  return readObject(text, 'json')
}

/** Reads a YAML text with a mapping, with the limits of a card and without anchors and tags. Never throws. */
export function readYamlObject(text: string): JsonReadResult {
  return readObject(text, 'yaml')
}

function readObject(text: string, syntax: 'json' | 'yaml'): JsonReadResult {
  const read = readCardText(text, syntax)
  if (!('problem' in read)) return { value: read.fields, positionOf: read.positionOf }
  return { message: read.problem.message.replace('keys of a card', 'keys'), position: read.position }
}
