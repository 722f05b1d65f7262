/** Returns the properties that are not `undefined`, so that spreading them overwrites nothing. */
export function omitUndefined<T extends object>(values: T): { [K in keyof T]: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
}
