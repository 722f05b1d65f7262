import { lexer, type Token } from 'marked'

/** Maximum length of a text that is parsed as Markdown. Longer texts are shown as code. */
const MAX_LENGTH = 200_000

/** Parses a Markdown text into blocks. */
export function proseTokens(text: string): readonly Token[] {
  if (text.length > MAX_LENGTH) return [{ type: 'code', raw: text, text }]
  return lexer(text, { gfm: true })
}
