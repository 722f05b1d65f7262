const LIMIT = 8000
// Control characters but tab and line breaks, zero-width characters, the direction overrides and the invisible tag alphabet.
// The joiners stay: emoji and some scripts are written with them.
const HIDDEN = /(?![\t\n\r])[\p{Cc}\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu
// Nearly all text is this, and it is looked through much faster.
const PLAIN = /^[\t\n\r -~]*$/u

/** Text from outside (a server, a skill) as a person would see it: what cannot be seen is taken out, what is too long is cut, and both are said, because a model reads what a person does not see. `limit` in characters, 8000 by default. */
export function visibleText(
  text: string,
  { limit = LIMIT }: { readonly limit?: number } = {},
): { readonly text: string; readonly remark?: string } {
  const seen = hidesText(text) ? text.replaceAll(HIDDEN, '') : text
  const cut = seen.length > limit ? `${seen.slice(0, limit)}…` : seen
  const remarks = [
    ...(seen.length < text.length ? ['held invisible characters, which were removed'] : []),
    ...(seen.length > limit ? [`was cut to ${limit} characters`] : []),
  ]
  return remarks.length === 0 ? { text: cut } : { text: cut, remark: remarks.join(' and ') }
}

/** True for text with characters that a person does not see, at any length. */
export function hidesText(text: string): boolean {
  return !PLAIN.test(text) && text.search(HIDDEN) !== -1
}
