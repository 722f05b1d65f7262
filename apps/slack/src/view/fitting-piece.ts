import { wholeCharacters } from './cut-text.ts'
import { escapeSlack } from './escape-slack.ts'

/** Returns as much of the beginning of a text as fits when escaped, in whole lines if possible. */
export function fittingPiece(text: string, room: number): string {
  if (room <= 0) return ''
  const escaped = escapeSlack(text)
  if (escaped.length <= room) return escaped
  const cut = wholeCharacters(escaped, room).replace(/&[a-z]{0,3}$/u, '')
  const line = cut.lastIndexOf('\n')
  return line > room / 2 ? cut.slice(0, line + 1) : cut
}
