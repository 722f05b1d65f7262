import { wholeCharacters } from './cut-text.ts'
import { escapeSlack } from './escape-slack.ts'

/** Returns as much of the beginning of a text as fits when escaped, in whole lines if possible. */
export function fittingPiece(text: string, maxLength: number): string {
  if (maxLength <= 0) return ''
  const escaped = escapeSlack(text)
  if (escaped.length <= maxLength) return escaped
  const cut = wholeCharacters(escaped, maxLength).replace(/&[a-z]{0,3}$/u, '')
  const line = cut.lastIndexOf('\n')
  return line > maxLength / 2 ? cut.slice(0, line + 1) : cut
}
