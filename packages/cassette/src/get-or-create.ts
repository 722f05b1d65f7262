/** Returns the value of a key, and adds it first if it is missing. */
export function getOrCreate<T>(map: Map<string, T>, key: string, make: () => T): T {
  const existing = map.get(key)
  if (existing !== undefined) return existing
  const created = make()
  map.set(key, created)
  return created
}
