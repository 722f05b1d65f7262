import type { Json } from '../json.ts'

/** What a form asks for, by `kind`. Everything in it is data, so that any surface can show it. */
export type FormField =
  | TextField
  | NumberField
  | SwitchField
  | ChoiceField
  | ListField
  | GroupField
  | VariantField
  | JsonField

/** What every field says of itself. */
export interface FieldBase {
  /** The property that it is for; in a list and among variants its position. */
  readonly name: string
  /** The title, or the name as words. */
  readonly label: string
  readonly description?: string
  /** A value has to be given. */
  readonly required: boolean
  /** null may be given instead. */
  readonly nullable: boolean
  readonly default?: Json
  readonly examples?: readonly Json[]
}

/** A line of text, or several. */
export interface TextField extends FieldBase {
  readonly kind: 'text'
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly format?: string
}

/** A number. */
export interface NumberField extends FieldBase {
  readonly kind: 'number'
  readonly isInteger: boolean
  readonly minimum?: number
  readonly maximum?: number
  /** True: the limit itself is too little. */
  readonly isAboveMinimum?: true
  /** True: the limit itself is too much. */
  readonly isBelowMaximum?: true
  readonly step?: number
}

/** Yes or no. */
export interface SwitchField extends FieldBase {
  readonly kind: 'switch'
}

/** One of some values; a single one needs no choice. */
export interface ChoiceField extends FieldBase {
  readonly kind: 'choice'
  readonly options: readonly Json[]
}

/** Any number of the same. */
export interface ListField extends FieldBase {
  readonly kind: 'list'
  readonly item: FormField
  readonly minItems?: number
  readonly maxItems?: number
  readonly isUnique: boolean
}

/** Fields that belong together. */
export interface GroupField extends FieldBase {
  readonly kind: 'group'
  readonly fields: readonly FormField[]
  /** Properties of other names may be given too. */
  readonly isOpen: boolean
}

/** One of several shapes. */
export interface VariantField extends FieldBase {
  readonly kind: 'variant'
  readonly options: readonly FormField[]
}

/** What no form can be made for: anything, positions, conditions that hold together, what is inside itself. It is written as JSON. */
export interface JsonField extends FieldBase {
  readonly kind: 'json'
}
