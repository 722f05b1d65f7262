import { lexer, type Token } from 'marked'

/** Longest text that is read as Markdown: what is longer stays plain. */
const LONGEST = 200_000

/** The blocks of a Markdown text. */
export function proseTokens(text: string): readonly Token[] {
  if (text.length > LONGEST) return [{ type: 'code', raw: text, text }]
  return lexer(text, { gfm: true })
}
