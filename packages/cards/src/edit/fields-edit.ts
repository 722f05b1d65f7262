import type { JsonObject } from '@troupe/schema'

/** Fields of a card before and after an edit. */
export interface FieldsEdit {
  readonly before: JsonObject
  readonly wanted: JsonObject
}
