const LIMIT = 8000
// Control characters except tab and line breaks, zero-width characters, direction overrides and the invisible
// tag characters. Joiners are allowed, because emoji and some scripts need them.
const INVISIBLE =
  /(?![\t\n\r])[\p{Cc}\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu
// Matches nearly all texts, and much faster.
const PLAIN = /^[\t\n\r -~]*$/u

/**
 * Makes external text (of a server, a skill) look to a model as it does to a person. Removes invisible
 * characters and cuts it to `limit` characters, default 8000. `remark` describes the changes.
 */
export function visibleText(
  text: string,
  { limit = LIMIT }: { readonly limit?: number } = {},
): { readonly text: string; readonly remark?: string } {
  const visible = hasInvisibleText(text) ? text.replaceAll(INVISIBLE, '') : text
  const cut = visible.length > limit ? `${visible.slice(0, limit)}…` : visible
  const remarks = [
    ...(visible.length < text.length ? ['contained invisible characters, which were removed'] : []),
    ...(visible.length > limit ? [`was cut to ${limit} characters`] : []),
  ]
  return remarks.length === 0 ? { text: cut } : { text: cut, remark: remarks.join(' and ') }
}

/** Returns true if text contains invisible characters, at any position. */
export function hasInvisibleText(text: string): boolean {
  return !PLAIN.test(text) && text.search(INVISIBLE) !== -1
}
