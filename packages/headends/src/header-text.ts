/** A text as the value of a header: as it is where headers can carry it, else with percent encoding. */
export function headerText(text: string): string {
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/u.test(text)
    ? text
    : encodeURIComponent(text.toWellFormed())
}
