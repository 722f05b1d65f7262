const MAX_LISTED = 5

/** Joins texts for a message, at most five of them: `a, b, c, d, e and 3 more`. */
export function listFirst(texts: readonly string[], separator = ', '): string {
  const more = texts.length - MAX_LISTED
  const listed = texts.slice(0, MAX_LISTED).join(separator)
  return more > 0 ? `${listed} and ${more} more` : listed
}
