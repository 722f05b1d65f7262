import { errorMessage } from '@troupe/schema'
import type { Position } from '../card/problem.ts'

/** Characters that V8 quotes on each side of an unexpected token. */
const QUOTED_AROUND = 10
const QUOTED =
  /^(?<what>Unexpected token '(?<token>.)'), (?<cut>\.\.\.)?"(?<quoted>.*)"(?:\.\.\.)? is not valid JSON$/su

/**
 * Returns why a text is not JSON and where. The message quotes nothing but the unexpected character, because
 * the text may hold secrets.
 */
export function jsonError(
  error: unknown,
  text: string,
): { readonly message: string; readonly position: Position } {
  const message = errorMessage(error)
  const location = /\(line (?<line>\d+) column (?<column>\d+)\)/u.exec(message)?.groups
  if (location !== undefined) {
    const what = message.replace(/ in JSON at position.*$/su, '')
    return { message: what, position: { line: Number(location['line']), column: Number(location['column']) } }
  }
  const groups = QUOTED.exec(message)?.groups
  if (groups === undefined) return { message: 'it ends too early', position: positionAt(text, text.length) }
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
