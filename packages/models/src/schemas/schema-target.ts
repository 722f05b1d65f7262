/** An API that accepts JSON Schema, and its use there. */
export type SchemaTargetName = 'openai' | 'openai-strict' | 'anthropic' | 'anthropic-output' | 'google'

/**
 * Limits of an API's JSON Schema support. Other keywords are accepted and, if the API enforces schemas,
 * enforced.
 */
export interface SchemaTarget {
  /** Keywords that the API rejects, with the reason. They are removed. */
  readonly refused: ReadonlyMap<string, string>
  /** Keywords that the API accepts but does not enforce. */
  readonly ignored: ReadonlySet<string>
  /** Set if the root must be `type: object` with properties. Alternatives at the root are merged. */
  readonly plainRoot?: true
  /** Set if objects must not have additional properties. */
  readonly closed?: true
  /** Set if the API supports `anyOf` but not `oneOf`. */
  readonly anyOfOnly?: true
  /** Set if the API supports `enum` but not `const`. */
  readonly constAsEnum?: true
  /** Set if `$ref` must not have sibling keywords. */
  readonly noRefSiblings?: true
  /** Set if the API supports only draft 2020-12: `prefixItems` and numeric exclusive limits. */
  readonly newDraft?: true
  /** Pattern of allowed property names at the root. */
  readonly propertyNames?: RegExp
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/u))
const refused = (text: string, why: string): ReadonlyMap<string, string> =>
  new Map([...words(text)].map((keyword) => [keyword, why]))
const NOTHING: ReadonlySet<string> = new Set()
const NONE: ReadonlyMap<string, string> = new Map()

export const SCHEMA_TARGETS: Readonly<Record<SchemaTargetName, SchemaTarget>> = {
  // tool parameters, which are not enforced
  openai: { refused: NONE, ignored: NOTHING, plainRoot: true },
  // answers in strict mode: removes what it rejects and what does not affect the shape
  'openai-strict': {
    refused: refused(
      'minLength maxLength uniqueItems minProperties maxProperties contains minContains maxContains propertyNames default examples',
      'strict mode does not support it',
    ),
    ignored: NOTHING,
    anyOfOnly: true,
    closed: true,
  },
  anthropic: {
    refused: NONE,
    ignored: NOTHING,
    plainRoot: true,
    newDraft: true,
    propertyNames: /^[a-zA-Z0-9_.-]{1,64}$/u,
  },
  // the adapter moves these keywords into descriptions
  'anthropic-output': {
    refused: NONE,
    ignored: words(
      'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern minItems maxItems uniqueItems minProperties maxProperties not',
    ),
  },
  google: {
    refused: NONE,
    ignored: words(
      'allOf minLength maxLength pattern uniqueItems multipleOf exclusiveMinimum exclusiveMaximum minProperties maxProperties not if contains propertyNames patternProperties dependentRequired dependentSchemas',
    ),
    constAsEnum: true,
    noRefSiblings: true,
    newDraft: true,
  },
}

const TOOL_TARGETS: ReadonlyMap<string, SchemaTargetName> = new Map<string, SchemaTargetName>([
  ['openai', 'openai'],
  ['anthropic', 'anthropic'],
  ['bedrock', 'anthropic'],
  ['google', 'google'],
  // most of these copy the API of OpenAI, with its rules
  ...(['mistral', 'groq', 'xai', 'deepseek', 'cohere', 'other'] as const).map(
    (name) => [name, 'openai'] as const,
  ),
])

/** Returns the schema target for the tools of a provider. `undefined` for providers without common rules. */
export function toolTarget(provider: string): SchemaTargetName | undefined {
  return TOOL_TARGETS.get(provider)
}
