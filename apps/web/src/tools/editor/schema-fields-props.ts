import type { DraftSchema } from '../draft/draft.ts'

/**
 * Returns the message of a problem by its key; `undefined` if there is none, or if it should not be shown
 * yet.
 */
export type ProblemLookup = (key: string) => string | undefined

/** Props of the fields of a schema. */
export interface SchemaFieldsProps {
  readonly id: string
  readonly schema: DraftSchema
  /** Nesting depth; 1 for a parameter of the tool. */
  readonly level: number
  readonly problemAt: ProblemLookup
  readonly onChange: (schema: DraftSchema) => void
}
