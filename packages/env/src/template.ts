/** A piece of a text with variables: literal text, or a variable with what stands after its `:-`. */
export type Piece = string | Variable

/** `${name}` or `${name:-fallback}`; `written` is how it stands in the text. */
export interface Variable {
  readonly name: string
  readonly written: string
  readonly fallback?: readonly Piece[]
}

/** Deeper nesting of `${A:-${B:-…}}` is taken literally. */
const MAX_NESTING = 16
const OPENING = /\$\{(?<name>[A-Za-z_][A-Za-z0-9_]*)(?<tail>\}|:-)/uy
const SPECIAL = /\$(?=\$?\{)|\}/gu

interface Frame {
  readonly name: string
  /** Where `${` stands, and where the fallback begins. */
  readonly start: number
  readonly inside: number
  readonly pieces: Piece[]
}

/**
 * The pieces of a text, in linear time. `$${` is a literal `${`; what is not of the form `${NAME}` or
 * `${NAME:-…}`, or is not closed, is literal too.
 */
export function parseTemplate(text: string): readonly Piece[] {
  const root: Piece[] = []
  const open: Frame[] = []
  let at = 0
  while (at < text.length) {
    const step = readStep(text, at, open)
    if (step.piece !== undefined) (open.at(-1)?.pieces ?? root).push(step.piece)
    at = step.end
  }
  return closeAll(text, root, open)
}

/** Reads on from `at`; opens or closes a frame where the text does. */
function readStep(text: string, at: number, open: Frame[]): { readonly piece?: Piece; readonly end: number } {
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

function readLiteral(text: string, at: number): { readonly piece: Piece; readonly end: number } {
  SPECIAL.lastIndex = at + 1
  const end = SPECIAL.exec(text)?.index ?? text.length
  return { piece: text.slice(at, end), end }
}

function closeFrame(
  text: string,
  at: number,
  open: Frame[],
): { readonly piece?: Piece; readonly end: number } {
  const frame = open.pop()
  const end = at + 1
  if (frame === undefined) return { end }
  return { piece: { name: frame.name, written: text.slice(frame.start, end), fallback: frame.pieces }, end }
}

/** Frames that the text never closes were literal text after all. */
function closeAll(text: string, root: readonly Piece[], open: readonly Frame[]): readonly Piece[] {
  return [...root, ...open.flatMap((frame) => [text.slice(frame.start, frame.inside), ...frame.pieces])]
}
