import { MAX_JSON_DEPTH } from '@troupe/schema/json'

/** Maximum number of values and keys in one text, so that the event loop is not blocked for too long. */
const MAX_VALUES = 500_000
const MAX_KEYS = 100_000

interface JsonLevel {
  /** Keys so far; `undefined` in an array. */
  readonly keys: Set<string> | undefined
  /** True if the next string is a key. */
  isKeyNext: boolean
}

/**
 * Returns a problem that `JSON.parse` does not report: too deep nesting, too many values or keys, the key
 * `__proto__`, or a duplicate key, which parsers resolve differently. The text should be valid JSON;
 * otherwise the result does not matter.
 */
export function jsonProblem(text: string): string | undefined {
  const levels: JsonLevel[] = []
  let values = 0
  let keys = 0
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at]
    const level = levels.at(-1)
    if (letter === ':') keys += 1
    else if (letter === ',' || letter === '{' || letter === '[') values += 1
    if (keys > MAX_KEYS) return `it has more than ${MAX_KEYS} keys`
    if (values > MAX_VALUES) return `it has more than ${MAX_VALUES} values`
    if (letter === '"') {
      const end = endOfText(text, at)
      if (level?.keys !== undefined && level.isKeyNext) {
        const key = keyOf(text, at, end)
        if (key === '__proto__') return 'the key "__proto__" is not allowed'
        if (level.keys.has(key)) return `the key ${JSON.stringify(key.slice(0, 100))} occurs twice`
        level.keys.add(key)
        level.isKeyNext = false
      }
      at = end
    } else if (letter === '{' || letter === '[') {
      if (levels.length === MAX_JSON_DEPTH) return `it is nested more than ${MAX_JSON_DEPTH} levels deep`
      levels.push({ keys: letter === '{' ? new Set() : undefined, isKeyNext: true })
    } else if (letter === '}' || letter === ']') levels.pop()
    else if (letter === ',' && level !== undefined) level.isKeyNext = true
  }
  return undefined
}

/**
 * Returns the index of the closing quote of the string that starts at `start`. Uses `indexOf`, because
 * prompts are long.
 */
function endOfText(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1))
    if (backslashesBefore(text, at) % 2 === 0) return at
  return text.length
}

function backslashesBefore(text: string, end: number): number {
  let at = end
  while (text[at - 1] === '\\') at -= 1
  return end - at
}

function keyOf(text: string, start: number, end: number): string {
  const bare = text.slice(start + 1, end)
  if (!bare.includes('\\')) return bare
  const quoted = text.slice(start, end + 1)
  try {
    return String(JSON.parse(quoted))
  } catch {
    // The JSON parser reports the error.
    return quoted
  }
}
