import type { Json } from '@troupe/schema'

/** A text or a number as text; anything else is empty. */
export function textOf(value: Json | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : ''
}
