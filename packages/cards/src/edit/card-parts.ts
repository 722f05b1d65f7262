import type { CardSyntax } from '../file/card-syntax.ts'

/** The text of a card in three parts: the keys, and the text before and after them. */
export interface CardParts {
  readonly before: string
  readonly data: string
  readonly after: string
}

const LEAD = /^\uFEFF?(?:#![^\n]*\n?)?/u
/** A closing fence. Only a line feed ends a line, unlike with the `m` flag. */
const CLOSING = /(?<![^\n])---[ \t]*\r?(?![^\n])/u
const OPENING = /^---(?:ya?ml)?[ \t]*\r?\n/u

/** Splits a card with valid fences at them. Adds fences to a text without front matter. */
export function cardParts(text: string, syntax: CardSyntax): CardParts {
  const lead = LEAD.exec(text)?.[0] ?? ''
  const content = text.slice(lead.length)
  if (syntax !== 'markdown') return { before: lead, data: content, after: '' }
  const opening = OPENING.exec(content)?.[0]
  if (opening === undefined) {
    const end = content.includes('\r\n') ? '\r\n' : '\n'
    return { before: `${lead}---${end}`, data: '', after: `---${end}${content}` }
  }
  const rest = content.slice(opening.length)
  const closing = CLOSING.exec(rest)?.index ?? rest.length
  return { before: lead + opening, data: rest.slice(0, closing), after: rest.slice(closing) }
}
