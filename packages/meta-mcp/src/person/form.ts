import type { JsonObject } from '@troupe/schema'

/** What a person is asked to fill in. */
export interface Form {
  readonly message: string
  /** JSON Schema of an object of plain fields. */
  readonly schema: JsonObject
}

/** What came of it. The content is what a client sent: it is not checked. */
export interface FormAnswer {
  readonly action: 'accept' | 'decline' | 'cancel'
  readonly content?: Readonly<Record<string, unknown>>
}
