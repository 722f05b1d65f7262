import type { Json } from '@troupe/schema'

/** Returns a JSON value as the text of a field. Strings are not quoted. */
export function valueText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
