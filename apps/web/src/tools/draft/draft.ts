import type { JsonObject } from '@troupe/schema'

/** What a parameter can be in the builder; `other`: a schema that it does not draw, kept and edited as JSON. */
export const DRAFT_KINDS = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'other'] as const

/** See {@link DRAFT_KINDS}. */
export type DraftKind = (typeof DRAFT_KINDS)[number]

/** A schema while it is being written: values are the texts in the fields, so that what is half written stays. */
export interface DraftSchema {
  readonly kind: DraftKind
  readonly description: string
  /** Allowed values, one each; empty: any. */
  readonly values: readonly string[]
  /** Of the value; JSON for lists and objects. Undefined: there is none. */
  readonly initial: string | undefined
  readonly examples: readonly string[]
  /** The least value, length or number of members; empty: any. */
  readonly least: string
  readonly most: string
  /** Of lists: no member twice. */
  readonly isUnique: boolean
  /** Of lists. */
  readonly items: DraftSchema | undefined
  /** Of objects. */
  readonly members: readonly DraftParameter[]
  /** Keywords that the builder does not draw: they stay. */
  readonly kept: JsonObject
  /** The whole schema as JSON, where the kind is `other`. */
  readonly json: string
}

/** A named value of an object. */
export interface DraftParameter {
  /** Stable while it is being edited. */
  readonly id: string
  readonly name: string
  readonly isRequired: boolean
  readonly schema: DraftSchema
}

/** A tool while it is being written. */
export interface DraftTool {
  readonly name: string
  readonly description: string
  readonly prompt: string
  readonly parameters: readonly DraftParameter[]
  /** Keywords of the root that the builder does not draw. */
  readonly kept: JsonObject
}

/** Something that keeps a tool from being saved. */
export interface DraftProblem {
  /** `name`, `description`, `prompt`, or the ids of the parameters down to the one meant, and a field of it. */
  readonly place: string
  readonly message: string
}

/** An empty schema of a kind. What both kinds have is taken over from another one. */
export function emptySchema(kind: DraftKind, from?: DraftSchema): DraftSchema {
  return {
    kind,
    description: from?.description ?? '',
    values: [],
    initial: undefined,
    examples: [],
    least: '',
    most: '',
    isUnique: false,
    items: kind === 'array' ? emptySchema('string') : undefined,
    members: [],
    kept: {},
    json: kind === 'other' ? '{}' : '',
  }
}

/** A parameter without a name. */
export function emptyParameter(id: string): DraftParameter {
  return { id, name: '', isRequired: false, schema: emptySchema('string') }
}

/** A tool without anything. */
export const EMPTY_TOOL: DraftTool = Object.freeze({
  name: '',
  description: '',
  prompt: '',
  parameters: [],
  kept: {},
})
