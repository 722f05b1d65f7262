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
  let isClean = true
  const entries = Object.entries(value).map(([key, member]) => {
    const entry = [redact(key), redactValues(member, redact)] as const
    if (entry[0] !== key || entry[1] !== member) isClean = false
    return entry
  })
  // fromEntries defines own properties, so a key such as `__proto__` stays a key
  return isClean ? value : Object.fromEntries(entries)
}
