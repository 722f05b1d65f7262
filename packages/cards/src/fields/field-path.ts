/** The path of a value in a card: keys of mappings and indexes of lists. */
export type FieldPath = readonly (string | number)[]

/** Formats a path as text: `limits.maxTurns`, `agents.0`. */
export function dotted(path: FieldPath): string {
  return path.join('.')
}

const LONGEST = 120

/** Formats a path for a message: in backticks, and truncated if it is long. */
export function quoted(path: FieldPath): string {
  const text = dotted(path)
  return `\`${text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}\``
}
