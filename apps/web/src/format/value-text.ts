import type { Json } from '@troupe/schema'

/** A JSON value as the text of a field: text stands as it is. */
export function valueText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
