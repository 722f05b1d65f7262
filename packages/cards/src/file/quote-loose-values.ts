import { readYaml } from '../yaml/yaml.ts'

/** Front matter with quotes added to some values. */
export interface QuotedText {
  /** The text with the same number of lines. */
  readonly text: string
  /** Keys of the quoted values; at least one. */
  readonly keys: readonly string[]
}

/** A key at the left edge with its value on the same line. */
const ENTRY = /^(?<key>[A-Za-z_][\w-]*):[ \t]+(?<value>\S.*)$/u
/** A line that continues the value above it. */
const CONTINUED = /^[ \t]+\S|^[\]}]/u

/**
 * Quotes single-line values that are not valid YAML, such as text that contains ": ". Returns `undefined` if
 * there are none.
 */
export function quoteLooseValues(text: string): QuotedText | undefined {
  const keys: string[] = []
  const lines = text.split('\n')
  const quoted = lines.map((line, index) => {
    const { key, value } = ENTRY.exec(line)?.groups ?? {}
    if (key === undefined || value === undefined) return line
    if (CONTINUED.test(lines[index + 1] ?? '') || isYaml(line)) return line
    keys.push(key)
    return `${line.slice(0, -value.length)}'${value.trimEnd().replaceAll("'", "''")}'`
  })
  return keys.length === 0 ? undefined : { text: quoted.join('\n'), keys }
}

function isYaml(line: string): boolean {
  return !('message' in readYaml(line, 1))
}
