/** A text that is at most so long; what is left out shows as `…`. */
export function cutText(text: string, most: number): string {
  return text.length <= most ? text : `${wholeCharacters(text, most - 1)}…`
}

/** The beginning of a text without half a character at its end. */
export function wholeCharacters(text: string, length: number): string {
  const code = text.charCodeAt(length - 1)
  return text.slice(0, code >= 0xd8_00 && code <= 0xdb_ff ? length - 1 : length)
}

/** The first words of a text, in one line. */
export function oneLine(text: string, most: number): string {
  return cutText(text.replaceAll(/\s+/gu, ' ').trim(), most)
}
