type Redact = (text: string) => string

/** The value with `redact` applied to every string in it, keys too. Parts without a secret are shared, not copied. */
export function redactValues<T>(value: T, redact: Redact): T {
  return redactValue(value, { redact, clean: new Set() }) as T
}

interface Redacting {
  readonly redact: Redact
  /** What was looked at and holds no secret, keys too: a plan holds many things many times. */
  readonly clean: Set<unknown>
}

function redactValue(value: unknown, redacting: Redacting): unknown {
  if (typeof value === 'string') return redacting.redact(value)
  if (typeof value !== 'object' || value === null || redacting.clean.has(value)) return value
  const redacted = Array.isArray(value) ? redactList(value, redacting) : redactObject(value, redacting)
  if (redacted === value) redacting.clean.add(value)
  return redacted
}

function redactList(list: readonly unknown[], redacting: Redacting): readonly unknown[] {
  let copy: unknown[] | undefined
  list.forEach((item, index) => {
    const clean = redactValue(item, redacting)
    if (clean === item) return
    copy ??= [...list]
    copy[index] = clean
  })
  return copy ?? list
}

function redactObject(value: object, redacting: Redacting): object {
  const entries: [string, unknown][] = Object.entries(value)
  let isClean = true
  for (const entry of entries) {
    const [key, member] = entry
    entry[0] = redactKey(key, redacting)
    entry[1] = redactValue(member, redacting)
    if (entry[0] !== key || entry[1] !== member) isClean = false
  }
  // fromEntries defines own properties, so a key such as `__proto__` stays a key
  return isClean ? value : Object.fromEntries(entries)
}

function redactKey(key: string, { redact, clean }: Redacting): string {
  if (clean.has(key)) return key
  const redacted = redact(key)
  if (redacted === key) clean.add(key)
  return redacted
}
