/** The value with `redact` applied to every string in it, keys too. Parts without a secret are shared, not copied. */
export function redactValues<T>(value: T, redact: (text: string) => string): T {
  if (typeof value === 'string') return redact(value) as T
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return redactList(value, redact) as T
  return redactObject(value as Readonly<Record<string, unknown>>, redact) as T
}

function redactList(list: readonly unknown[], redact: (text: string) => string): readonly unknown[] {
  let copy: unknown[] | undefined
  list.forEach((item, index) => {
    const clean = redactValues(item, redact)
    if (clean === item) return
    copy ??= [...list]
    copy[index] = clean
  })
  return copy ?? list
}

function redactObject(
  value: Readonly<Record<string, unknown>>,
  redact: (text: string) => string,
): Readonly<Record<string, unknown>> {
  const entries = Object.entries(value)
  let isClean = true
  for (const entry of entries) {
    const [key, member] = entry
    entry[0] = redact(key)
    entry[1] = redactValues(member, redact)
    if (entry[0] !== key || entry[1] !== member) isClean = false
  }
  // fromEntries defines own properties, so a key such as `__proto__` stays a key
  return isClean ? value : Object.fromEntries(entries)
}
