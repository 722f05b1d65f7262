/** The path of a value in a card: keys of mappings and indexes of lists. */
export type FieldPath = readonly (string | number)[]

/** Formats a path as text: `limits.maxTurns`, `agents.0`. */
export function dottedPath(path: FieldPath): string {
  return path.join('.')
}

const LONGEST = 120

/** Formats a path for a message: in backticks, and truncated if it is long. */
export function quotedPath(path: FieldPath): string {
  const text = dottedPath(path)
  return `\`${text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}\``
}
