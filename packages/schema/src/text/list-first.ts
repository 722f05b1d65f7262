/** Joins texts for a message, at most `max` of them: `a, b, c, d, e and 3 more`. */
export function listFirst(
  texts: readonly string[],
  { separator = ', ', max = 5 }: { readonly separator?: string; readonly max?: number } = {},
): string {
  const more = texts.length - max
  const listed = texts.slice(0, max).join(separator)
  return more > 0 ? `${listed} and ${more} more` : listed
}
