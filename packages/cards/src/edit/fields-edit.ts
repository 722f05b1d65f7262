import type { JsonObject } from '@troupe/schema'

/** The fields of a card, and what they are to be. */
export interface FieldsEdit {
  readonly before: JsonObject
  readonly wanted: JsonObject
}
