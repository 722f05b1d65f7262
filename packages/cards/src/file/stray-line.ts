/** A line of front matter that can only be text. */
export interface StrayLine {
  /** Counted from 0. */
  readonly index: number
  /** The key above the line, to whose value the text seems to belong. */
  readonly key: string
}

const ENTRY = /^(?<key>[A-Za-z_][\w-]*):(?:$|[ \t]+(?<value>.*)$)/u
/** Text that neither begins with a special character of YAML nor contains a key. */
const TEXT = /^[\w<(*.`@](?:(?!:(?:[ \t]|$)).)*$/u
/** A heading such as `Examples:`, which is not a key in text at the left edge. */
const HEADING = /^[A-Z]/u
/** Values with a closing delimiter, possibly on a later line. */
const ENCLOSED = /^["'[{]/u

/**
 * Finds the first unindented line that continues the text of a key, a typical mistake when pasting text below
 * `description:`. Returns `undefined` if there is none.
 */
export function findStrayLine(text: string): StrayLine | undefined {
  let key: string | undefined
  for (const [index, line] of text.split('\n').entries()) {
    const entry = ENTRY.exec(line)?.groups
    if (entry === undefined) {
      if (key !== undefined && TEXT.test(line)) return { index, key }
    } else if (key === undefined || !HEADING.test(line))
      key = ENCLOSED.test(entry['value'] ?? '') ? undefined : entry['key']
  }
  return undefined
}
