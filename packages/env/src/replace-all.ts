/** A string to search for and its replacement. */
export interface Needle {
  readonly text: string
  readonly replacement: string
}

/**
 * Replaces all needles in one pass from left to right; replacements are not searched again. If two matches
 * start at the same position, the earlier needle in the list wins.
 */
export function replaceAll(text: string, needles: readonly Needle[]): string {
  if (!needles.some((needle) => text.includes(needle.text))) return text
  const found: { readonly needle: Needle; at: number }[] = []
  for (const needle of needles) {
    const at = text.indexOf(needle.text)
    if (at !== -1) found.push({ needle, at })
  }
  let result = ''
  let position = 0
  while (found.length > 0) {
    const next = found.reduce((best, match) => (match.at < best.at ? match : best))
    result += text.slice(position, next.at) + next.needle.replacement
    position = next.at + next.needle.text.length
    advanceMatches(text, found, position)
  }
  return result + text.slice(position)
}

function advanceMatches(
  text: string,
  found: { readonly needle: Needle; at: number }[],
  position: number,
): void {
  for (let index = found.length - 1; index >= 0; index -= 1) {
    const match = found[index]
    if (match === undefined || match.at >= position) continue
    match.at = text.indexOf(match.needle.text, position)
    if (match.at === -1) found.splice(index, 1)
  }
}
