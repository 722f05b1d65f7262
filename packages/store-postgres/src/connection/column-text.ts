/**
 * Converts text to the form in which a `text` column stores it. PostgreSQL refuses U+0000 and lone
 * surrogates, so these and the characters that JSON escapes are escaped. Usual ids are unchanged.
 */
export function toColumn(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** Returns the text of a column. */
export function fromColumn(text: string): string {
  return JSON.parse(`"${text}"`) as string
}

/** Replaces what a column cannot store. For texts that are only searched. */
export function toSearchColumn(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\ufffd')
}
