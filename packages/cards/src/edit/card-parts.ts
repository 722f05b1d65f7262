import type { CardForm } from '../file/card-form.ts'

/** The text of a card in three: the keys, and what stands before and after them. */
export interface CardParts {
  readonly before: string
  readonly data: string
  readonly after: string
}

const LEAD = /^\uFEFF?(?:#![^\n]*\n?)?/u
/** A line of its own, whatever else counts as the end of a line elsewhere. */
const CLOSING = /(?<![^\n])---[ \t]*\r?(?![^\n])/u
const OPENING = /^---(?:ya?ml)?[ \t]*\r?\n/u

/** Cuts a card, whose fences were checked, at them. A text without front matter gets fences around nothing. */
export function cardParts(text: string, form: CardForm): CardParts {
  const lead = LEAD.exec(text)?.[0] ?? ''
  const content = text.slice(lead.length)
  if (form !== 'markdown') return { before: lead, data: content, after: '' }
  const opening = OPENING.exec(content)?.[0]
  if (opening === undefined) {
    const end = content.includes('\r\n') ? '\r\n' : '\n'
    return { before: `${lead}---${end}`, data: '', after: `---${end}${content}` }
  }
  const rest = content.slice(opening.length)
  const closing = CLOSING.exec(rest)?.index ?? rest.length
  return { before: lead + opening, data: rest.slice(0, closing), after: rest.slice(closing) }
}
