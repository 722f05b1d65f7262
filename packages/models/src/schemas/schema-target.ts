/** An API that takes JSON Schema, by what is asked of it. */
export type SchemaTargetName = 'openai' | 'openai-strict' | 'anthropic' | 'anthropic-output' | 'google'

/** What an API takes of JSON Schema. What is not listed it takes and, as far as it enforces anything, enforces. */
export interface SchemaTarget {
  /** What it refuses: it is left out, and why. */
  readonly refused: ReadonlyMap<string, string>
  /** What it takes and does not hold the model to. */
  readonly ignored: ReadonlySet<string>
  /** The root is `type: object` with properties; alternatives that stand there are merged into them. */
  readonly plainRoot?: true
  /** Objects have the properties that are described and no others. */
  readonly closed?: true
  /** `oneOf` is unknown, `anyOf` is not. */
  readonly anyOfOnly?: true
  /** `const` is unknown, `enum` is not. */
  readonly constAsEnum?: true
  /** Beside `$ref` nothing else may stand. */
  readonly lonelyRef?: true
  /** Only draft 2020-12: positions of a list are `prefixItems`, exclusive limits are numbers. */
  readonly newDraft?: true
  /** Names that properties of the root may have. */
  readonly propertyNames?: RegExp
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/u))
const refused = (text: string, why: string): ReadonlyMap<string, string> =>
  new Map([...words(text)].map((keyword) => [keyword, why]))
const NOTHING: ReadonlySet<string> = new Set()
const NONE: ReadonlyMap<string, string> = new Map()

/** All targets. */
export const SCHEMA_TARGETS: Readonly<Record<SchemaTargetName, SchemaTarget>> = {
  // parameters of tools; nothing of them is enforced
  openai: { refused: NONE, ignored: NOTHING, plainRoot: true },
  // answers in strict mode: what it refuses and what says nothing of the shape
  'openai-strict': {
    refused: refused(
      'minLength maxLength uniqueItems minProperties maxProperties contains minContains maxContains propertyNames default examples',
      'strict mode does not take it',
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
  // the adapter moves these into descriptions
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
    lonelyRef: true,
    newDraft: true,
  },
}

/** What the tools of a provider are written for; those on other people's servers have no common rules. */
export function toolTarget(provider: string): SchemaTargetName | undefined {
  return provider === 'openai' || provider === 'anthropic' || provider === 'google' ? provider : undefined
}
