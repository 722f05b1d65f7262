import type { JsonObject } from '@troupe/schema'
import { readCardText } from './card-text.ts'
import type { CardPosition } from '../card-types.ts'

/** An object of JSON that people wrote, and where its keys stand; or why it is none. */
export type JsonReading =
  | {
      readonly value: JsonObject
      /** Where the key or list member stands, or the nearest one around it. */
      positionOf(path: readonly (string | number)[]): CardPosition | undefined
    }
  | { readonly message: string; readonly position: CardPosition }

/** Reads a text such as troupe.json with the limits of a card: size, depth, no key twice, no `__proto__`. Never throws, and quotes nothing of the text. */
export function readJsonObject(text: string): JsonReading {
  const read = readCardText(text, 'json')
  if (!('problem' in read)) return { value: read.fields, positionOf: read.positionOf }
  return { message: read.problem.message.replace('keys of a card', 'keys'), position: read.position }
}
