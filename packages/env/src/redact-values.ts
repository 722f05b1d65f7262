type Redact = (text: string) => string

/** Applies `redact` to every string and key. Parts without a secret are shared, not copied. */
export function redactValues<T>(value: T, redact: Redact): T {
  return isClean(value, redact) ? value : (redactValue(value, { redact, clean: new Set() }) as T)
}

/**
 * Checks all strings in a value at once. This is cheaper than a redacting copy, and most values contain no
 * secret. A false match across two strings is harmless, because each string is then checked separately.
 */
function isClean(value: unknown, redact: Redact): boolean {
  const whole = textsIn(value).join('\0')
  return redact(whole) === whole
}

/** Returns all strings in a value, including object keys. */
function textsIn(value: unknown): readonly string[] {
  const texts: string[] = []
  const seen = new Set<object>()
  const open = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next === 'string') texts.push(next)
    if (typeof next !== 'object' || next === null || seen.has(next)) continue
    seen.add(next)
    // one by one, because `push(...next)` overflows the stack for long lists
    if (Array.isArray(next)) for (const item of next as readonly unknown[]) open.push(item)
    else
      for (const key of Object.keys(next)) {
        texts.push(key)
        open.push((next as Readonly<Record<string, unknown>>)[key])
      }
  }
  return texts
}

interface RedactionContext {
  readonly redact: Redact
  /**
   * Strings and objects already found to contain no secret. A value may contain the same object many times.
   */
  readonly clean: Set<unknown>
}

function redactValue(value: unknown, redacting: RedactionContext): unknown {
  if (typeof value === 'string') return redactText(value, redacting)
  if (typeof value !== 'object' || value === null || redacting.clean.has(value)) return value
  const redacted = Array.isArray(value) ? redactList(value, redacting) : redactObject(value, redacting)
  if (redacted === value) redacting.clean.add(value)
  return redacted
}

function redactText(text: string, { redact, clean }: RedactionContext): string {
  if (clean.has(text)) return text
  const redacted = redact(text)
  if (redacted === text) clean.add(text)
  return redacted
}

function redactList(list: readonly unknown[], redacting: RedactionContext): readonly unknown[] {
  let copy: unknown[] | undefined
  for (const [index, item] of list.entries()) {
    const clean = redactValue(item, redacting)
    if (clean === item) continue
    copy ??= [...list]
    copy[index] = clean
  }
  return copy ?? list
}

function redactObject(value: object, redacting: RedactionContext): object {
  let copy: [string, unknown][] | undefined
  const members = value as Readonly<Record<string, unknown>>
  const keys = Object.keys(value)
  for (const [index, key] of keys.entries()) {
    const member = members[key]
    const cleanKey = redactText(key, redacting)
    const clean = redactValue(member, redacting)
    if (copy === undefined && cleanKey === key && clean === member) continue
    copy ??= keys.slice(0, index).map((before) => [before, members[before]])
    copy.push([cleanKey, clean])
  }
  // `fromEntries` defines own properties, so a key such as `__proto__` stays a key
  return copy === undefined ? value : Object.fromEntries(copy)
}
