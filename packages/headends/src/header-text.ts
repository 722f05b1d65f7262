/** Converts a text to a header value. Text that a header cannot carry is percent-encoded. */
export function headerText(text: string): string {
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/u.test(text)
    ? text
    : encodeURIComponent(text.toWellFormed())
}
