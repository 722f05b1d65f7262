import type { JsonObject } from '@troupe/schema'

/** A form for a person. */
export interface Form {
  readonly message: string
  /** JSON Schema of an object with primitive properties. */
  readonly schema: JsonObject
}

/** Response to a form. The content comes from the client and is not validated. */
export interface FormAnswer {
  readonly action: 'accept' | 'decline' | 'cancel'
  readonly content?: Readonly<Record<string, unknown>>
}
