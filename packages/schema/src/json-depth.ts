/** Deepest nesting of objects and lists in JSON that a run takes in. Deeper values overflow the stack of what walks them. */
export const MAX_JSON_DEPTH = 64

/** True for a value with objects and lists nested deeper than `most`, and for a cycle. It recurses no further than that. */
export function isJsonTooDeep(value: unknown, most: number = MAX_JSON_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (most === 0) return true
  if (Array.isArray(value)) return value.some((item) => isCollection(item) && isJsonTooDeep(item, most - 1))
  for (const key in value) {
    const member = (value as Readonly<Record<string, unknown>>)[key]
    if (isCollection(member) && isJsonTooDeep(member, most - 1)) return true
  }
  return false
}

/** Spares most values a call. */
function isCollection(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

/** The same for the value of a JSON text: that of a short one is not walked through. */
export function isJsonTextTooDeep(text: string, value: unknown, most: number = MAX_JSON_DEPTH): boolean {
  // each level has two brackets
  return text.length > 2 * most && isJsonTooDeep(value, most)
}
