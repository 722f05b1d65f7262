import type { DraftSchema } from '../draft/draft.ts'

/** The problem of a place, where it is to be told. */
export type Told = (place: string) => string | undefined

/** What the fields of a schema are given. */
export interface SchemaFieldsProps {
  readonly id: string
  readonly schema: DraftSchema
  /** How deep it lies; 1: a parameter of the tool. */
  readonly level: number
  readonly told: Told
  readonly onChange: (schema: DraftSchema) => void
}
