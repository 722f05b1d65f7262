import { readYaml } from '../yaml/yaml.ts'

/** Front matter in which text without the quotes it needs has them. */
export interface QuotedText {
  /** As many lines as before. */
  readonly text: string
  /** The keys whose values were quoted; at least one. */
  readonly keys: readonly string[]
}

/** A key at the left edge with a value on its line. */
const ENTRY = /^(?<key>[A-Za-z_][\w-]*):[ \t]+(?<value>\S.*)$/u
/** A line that belongs to the value above it. */
const CONTINUED = /^[ \t]+\S|^[\]}]/u

/**
 * Puts those values in quotes that stand on one line and are no YAML by themselves: text that holds ": ", or begins with a
 * character that means something else. Undefined when there is none.
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
