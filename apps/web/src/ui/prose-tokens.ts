import { lexer, type Token } from 'marked'

/** Maximum length of a text that is parsed as Markdown. Longer texts are shown as code. */
const LONGEST = 200_000

/** Parses a Markdown text into blocks. */
export function proseTokens(text: string): readonly Token[] {
  if (text.length > LONGEST) return [{ type: 'code', raw: text, text }]
  return lexer(text, { gfm: true })
}
