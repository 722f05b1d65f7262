import type { Json } from '@troupe/schema'

/** Converts text or a number to text; anything else becomes empty text. */
export function textOf(value: Json | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : ''
}
