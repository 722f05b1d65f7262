import type { JsonObject } from '@troupe/schema'
import { readLooseCardText } from './card-text.ts'
import type { CardPosition, CardProblem } from '../card-types.ts'
import { toProblem } from '../problem.ts'
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
