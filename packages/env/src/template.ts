/** Part of a text with variables: literal text or a variable. */
export type TextPiece = string | Variable

/** `${name}` or `${name:-fallback}`. `written` is the original text. */
export interface Variable {
  readonly name: string
  readonly written: string
  readonly fallback?: readonly TextPiece[]
}

/** Maximum nesting of `${A:-${B:-…}}`. Deeper references are literal text. */
const MAX_NESTING = 16
const OPENING = /\$\{(?<name>[A-Za-z_][A-Za-z0-9_]*)(?<tail>\}|:-)/uy
const SPECIAL = /\$(?=\$?\{)|\}/gu

interface OpenVariable {
  readonly name: string
  /** Offset of `${`. `inside` is the offset of the fallback. */
  readonly start: number
  readonly inside: number
  readonly pieces: TextPiece[]
}

/**
 * Parses a text into pieces, in linear time. `$${` is a literal `${`. Anything but a closed `${NAME}` or
 * `${NAME:-…}` is literal text.
 */
export function parseTemplate(text: string): readonly TextPiece[] {
  const root: TextPiece[] = []
  const open: OpenVariable[] = []
  let at = 0
  while (at < text.length) {
    const step = readStep(text, at, open)
    if (step.piece !== undefined) (open.at(-1)?.pieces ?? root).push(step.piece)
    at = step.end
  }
  return closeAll(text, root, open)
}

/** Reads the next piece at `at`, which may open or close a frame. */
function readStep(
  text: string,
  at: number,
  open: OpenVariable[],
): { readonly piece?: TextPiece; readonly end: number } {
  if (text.startsWith('$${', at)) return { piece: '${', end: at + 3 }
  if (text[at] === '}' && open.length > 0) return closeFrame(text, at, open)
  OPENING.lastIndex = at
  const match = OPENING.exec(text)
  const name = match?.groups?.['name']
  if (match === null || name === undefined) return readLiteral(text, at)
  const end = at + match[0].length
  if (match.groups?.['tail'] === '}') return { piece: { name, written: match[0] }, end }
  if (open.length === MAX_NESTING) return { piece: match[0], end }
  open.push({ name, start: at, inside: end, pieces: [] })
  return { end }
}

function readLiteral(text: string, at: number): { readonly piece: TextPiece; readonly end: number } {
  SPECIAL.lastIndex = at + 1
  const end = SPECIAL.exec(text)?.index ?? text.length
  return { piece: text.slice(at, end), end }
}

function closeFrame(
  text: string,
  at: number,
  open: OpenVariable[],
): { readonly piece?: TextPiece; readonly end: number } {
  const frame = open.pop()
  const end = at + 1
  if (frame === undefined) return { end }
  return { piece: { name: frame.name, written: text.slice(frame.start, end), fallback: frame.pieces }, end }
}

/** Converts frames without a closing brace to literal text. */
function closeAll(
  text: string,
  root: readonly TextPiece[],
  open: readonly OpenVariable[],
): readonly TextPiece[] {
  return [...root, ...open.flatMap((frame) => [text.slice(frame.start, frame.inside), ...frame.pieces])]
}
