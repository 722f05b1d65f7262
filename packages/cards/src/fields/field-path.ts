/** The way to a value in a card: keys of mappings, positions in lists. */
export type FieldPath = readonly (string | number)[]

/** A path as text: `limits.maxTurns`, `agents.0`. */
export function dotted(path: FieldPath): string {
  return path.join('.')
}

const LONGEST = 120

/** A path for a message: in backticks, and cut when it is endless. */
export function quoted(path: FieldPath): string {
  const text = dotted(path)
  return `\`${text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}\``
}
