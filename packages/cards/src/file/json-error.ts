import { errorMessage } from '@troupe/schema'
import type { Position } from '../problem.ts'

/** How many characters V8 quotes on each side of a token it did not expect. */
const QUOTED_AROUND = 10
const QUOTED =
  /^(?<what>Unexpected token '(?<token>.)'), (?<cut>\.\.\.)?"(?<quoted>.*)"(?:\.\.\.)? is not valid JSON$/su

/** Why a text is not JSON, in words that quote nothing of it (it may hold secrets), and where. */
export function jsonError(
  error: unknown,
  text: string,
): { readonly message: string; readonly position: Position } {
  const message = errorMessage(error)
  const place = /\(line (?<line>\d+) column (?<column>\d+)\)/u.exec(message)?.groups
  if (place !== undefined) {
    const what = message.replace(/ in JSON at position.*$/su, '')
    return { message: what, position: { line: Number(place['line']), column: Number(place['column']) } }
  }
  const groups = QUOTED.exec(message)?.groups
  if (groups === undefined) return { message: 'it breaks off', position: positionAt(text, text.length) }
  const { what = '', token = '', cut, quoted = '' } = groups
  const start = text.indexOf(quoted)
  const offset = cut === undefined ? text.indexOf(token) : start + QUOTED_AROUND
  return { message: what, position: positionAt(text, Math.max(0, offset)) }
}

function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  return { line, column: offset - before.lastIndexOf('\n') }
}
