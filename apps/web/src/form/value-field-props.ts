import type { Json, JsonObject } from '@troupe/schema'
import type { ComponentType } from 'react'

/** Props of a field for a value. */
export interface ValueFieldProps {
  readonly label: string
  readonly schema: JsonObject
  /** `undefined` if the field is empty. */
  readonly value: Json | undefined
  readonly isRequired: boolean
  readonly onChange: (value: Json | undefined) => void
  /**
   * Returns the message of a problem by its path; `undefined` if there is none, or if it should not be shown
   * yet.
   */
  readonly problemAt: (path: string) => string | undefined
  readonly path: string
}

/** Props of a field with nested values. The component is passed as a prop, because values are nested. */
export interface MembersProps extends ValueFieldProps {
  readonly Member: ComponentType<ValueFieldProps>
}
