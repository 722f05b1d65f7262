import type { JsonObject } from '@troupe/schema'

/**
 * The kinds of parameters in the builder. `other` is a schema that the builder does not support; it is edited
 * as JSON.
 */
export const DRAFT_KINDS = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'other'] as const

/** One of {@link DRAFT_KINDS}. */
export type DraftKind = (typeof DRAFT_KINDS)[number]

/**
 * A schema that is being edited. Values are the texts in the fields, so that incomplete input is preserved.
 */
export interface DraftSchema {
  readonly kind: DraftKind
  readonly description: string
  /** Allowed values, one per entry; empty for any. */
  readonly values: readonly string[]
  /** The default of the value, as JSON for lists and objects; `undefined` if there is none. */
  readonly initial: string | undefined
  readonly examples: readonly string[]
  /** Minimum value, length or number of items; empty if unlimited. */
  readonly minimum: string
  readonly maximum: string
  /** True if a list must not contain a value twice. */
  readonly isUnique: boolean
  /** The schema of the items of a list. */
  readonly items: DraftSchema | undefined
  /** The properties of an object. */
  readonly members: readonly DraftParameter[]
  /** Keywords that the builder does not support. They are preserved. */
  readonly unsupportedKeywords: JsonObject
  /** The whole schema as JSON, if the kind is `other`. */
  readonly json: string
}

/** A parameter of a tool, or a property of an object. */
export interface DraftParameter {
  /** Stable while it is edited. */
  readonly id: string
  readonly name: string
  readonly isRequired: boolean
  readonly schema: DraftSchema
}

/** A tool that is being edited. */
export interface DraftTool {
  readonly name: string
  readonly description: string
  readonly prompt: string
  readonly parameters: readonly DraftParameter[]
  /** Keywords of the root schema that the builder does not support. */
  readonly unsupportedKeywords: JsonObject
}

/** A problem that prevents a tool from being saved. */
export interface DraftProblem {
  /** `name`, `description` or `prompt`, or a parameter id followed by a field. */
  readonly key: string
  readonly message: string
}

/** Returns an empty schema of a kind, with the description of `from`. */
export function emptySchema(kind: DraftKind, from?: DraftSchema): DraftSchema {
  return {
    kind,
    description: from?.description ?? '',
    values: [],
    initial: undefined,
    examples: [],
    minimum: '',
    maximum: '',
    isUnique: false,
    items: kind === 'array' ? emptySchema('string') : undefined,
    members: [],
    unsupportedKeywords: {},
    json: kind === 'other' ? '{}' : '',
  }
}

/** Returns a parameter without a name. */
export function emptyParameter(id: string): DraftParameter {
  return { id, name: '', isRequired: false, schema: emptySchema('string') }
}

/** A tool without content. */
export const EMPTY_TOOL: DraftTool = Object.freeze({
  name: '',
  description: '',
  prompt: '',
  parameters: [],
  unsupportedKeywords: {},
})
