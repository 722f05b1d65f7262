/** The value with `redact` applied to every string in it. Parts without a secret are shared, not copied. */
export function redactJson<T>(value: T, redact: (text: string) => string): T {
  if (typeof value === 'string') return redact(value) as T
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return redactList(value, redact) as T
  return redactObject(value as Readonly<Record<string, unknown>>, redact) as T
}

function redactList(list: readonly unknown[], redact: (text: string) => string): readonly unknown[] {
  let copy: unknown[] | undefined
  list.forEach((item, index) => {
    const clean = redactJson(item, redact)
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
  let copy: Record<string, unknown> | undefined
  for (const [key, member] of Object.entries(value)) {
    const clean = redactJson(member, redact)
    if (clean === member) continue
    copy ??= { ...value }
    copy[key] = clean
  }
  return copy ?? value
}
