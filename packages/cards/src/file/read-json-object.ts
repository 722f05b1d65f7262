import type { JsonObject } from '@troupe/schema'
import { readCardText } from './card-text.ts'
import type { CardPosition } from '../card-types.ts'

/** A JSON object with the positions of its keys, or the reason it cannot be read. */
export type JsonReadResult =
  | {
      readonly value: JsonObject
      /** Returns the position of a key or list item, or of the nearest one around it. */
      positionOf(path: readonly (string | number)[]): CardPosition | undefined
    }
  | { readonly message: string; readonly position: CardPosition }

/**
 * Reads a text such as troupe.json with the limits of a card: size, depth, no duplicate keys, no `__proto__`.
 * Never throws, and messages do not quote the text.
 */
export function readJsonObject(text: string): JsonReadResult {
  const read = readCardText(text, 'json')
  if (!('problem' in read)) return { value: read.fields, positionOf: read.positionOf }
  return { message: read.problem.message.replace('keys of a card', 'keys'), position: read.position }
}
