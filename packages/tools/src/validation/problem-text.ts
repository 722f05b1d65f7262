const MAX_TEXT = 200

/** Formats a problem: the JSON Pointer of the value and the message, truncated. */
export function problemText(path: readonly (string | number)[], message: string): string {
  const pointer = path.map(
    (key) => `/${String(key).slice(0, MAX_TEXT).replaceAll('~', '~0').replaceAll('/', '~1')}`,
  )
  const text = `${pointer.join('')} ${message}`.trim()
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`
}

/** Formats a value for a message. Truncates large values before serialising them. */
export function shownValue(value: unknown): string {
  let left = MAX_TEXT
  const shorten = (each: unknown): unknown => {
    left -= 1
    if (left < 0) return undefined
    if (typeof each === 'string') return each.slice(0, MAX_TEXT)
    if (Array.isArray(each)) return each.slice(0, MAX_TEXT).map(shorten)
    if (typeof each !== 'object' || each === null) return each
    const members: [string, unknown][] = []
    for (const [key, member] of Object.entries(each)) {
      if (left < 0) break
      members.push([key.slice(0, MAX_TEXT), shorten(member)])
    }
    return Object.fromEntries(members)
  }
  return JSON.stringify(shorten(value)) ?? ''
}
