/** Shortens a text to a number of characters, with `…` at the end. */
export function cutText(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${wholeCharacters(text, maxLength - 1)}…`
}

/** Returns the beginning of a text without splitting a surrogate pair. */
export function wholeCharacters(text: string, length: number): string {
  const code = text.charCodeAt(length - 1)
  return text.slice(0, code >= 0xd8_00 && code <= 0xdb_ff ? length - 1 : length)
}

/** Returns the beginning of a text in one line. */
export function oneLine(text: string, maxLength: number): string {
  return cutText(text.replaceAll(/\s+/gu, ' ').trim(), maxLength)
}
