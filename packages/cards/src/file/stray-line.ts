/** A line of front matter that can only be text. */
export interface StrayLine {
  /** Counted from 0. */
  readonly index: number
  /** The key above it, whose text it seems to be. */
  readonly key: string
}

const ENTRY = /^(?<key>[A-Za-z_][\w-]*):(?:$|[ \t]+(?<value>.*)$)/u
/** Whatever begins with something that YAML has a meaning for, or holds a key, is not for sure just text. */
const TEXT = /^[\w<(*.`@](?:(?!:(?:[ \t]|$)).)*$/u
/** In a text that stands at the left edge, `Examples:` is no key. */
const HEADING = /^[A-Z]/u
/** Values that end at a sign of their own, maybe lines below. */
const ENCLOSED = /^["'[{]/u

/**
 * Finds the line at which text of a key goes on at the left edge: what people paste below `description:` without blanks
 * before it. Undefined when there is none.
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
