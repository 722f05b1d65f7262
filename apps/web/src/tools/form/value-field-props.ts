import type { Json, JsonObject } from '@troupe/schema'
import type { ComponentType } from 'react'

/** What every field of a form is given. */
export interface ValueFieldProps {
  readonly label: string
  readonly schema: JsonObject
  /** Undefined: nothing is written. */
  readonly value: Json | undefined
  readonly isRequired: boolean
  readonly onChange: (value: Json | undefined) => void
  /** The problem of a path, where it is to be told. */
  readonly told: (path: string) => string | undefined
  readonly path: string
}

/** What fields with members are given beside: what draws a member comes from above, as values lie in values. */
export interface MembersProps extends ValueFieldProps {
  readonly Member: ComponentType<ValueFieldProps>
}
