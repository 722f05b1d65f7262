import { _, Ajv2020, type CodeKeywordDefinition, type ErrorObject } from 'ajv/dist/2020.js'
import { troupeError, type Json, type JsonObject } from '@troupe/schema'
import { adaptSchema } from './adapt-schema.ts'
import { createLinearPatterns, type LinearPatterns } from './linear-patterns.ts'
import { UNIQUE_ITEMS } from './unique-items.ts'

/** How many references one validation may follow: no real arguments need more, a schema built to explode needs 2^n. */
const MAX_REFERENCES = 100_000

/** Fills defaults into the data and gives what is wrong with it. Throws when the check itself fails, for example on data nested too deeply. */
export type CheckData = (data: Json) => readonly ErrorObject[]

/**
 * Compiles a measured schema with a compiler of its own, so that no `$id` clashes with that of another schema and
 * everything is freed with the schema. Nothing is ever fetched: a `$ref` to another document throws.
 */
export function compileSchema(schema: JsonObject): CheckData {
  const patterns = createLinearPatterns()
  const budget = { references: 0 }
  const ajv = new Ajv2020({
    meta: false,
    validateSchema: false,
    strict: false,
    logger: false,
    allErrors: true,
    useDefaults: true,
    ownProperties: true,
    validateFormats: false,
    // an inlined schema is repeated wherever it is referred to
    inlineRefs: false,
    code: { regExp: regExpEngine(patterns) },
  })
  countReferences(ajv, budget)
  ajv.removeKeyword(UNIQUE_ITEMS.keyword as string)
  ajv.addKeyword(UNIQUE_ITEMS)
  const validate = ajv.compile(adaptSchema(schema, patterns))
  return (data) => {
    budget.references = 0
    return validate(data) ? [] : (validate.errors ?? [])
  }
}

type RegExpEngine = NonNullable<NonNullable<ConstructorParameters<typeof Ajv2020>[0]>['code']>['regExp']

/** A pattern that is not supported is never run: the keyword is as good as absent. */
function regExpEngine(patterns: LinearPatterns): NonNullable<RegExpEngine> {
  const engine = (pattern: string): { test(text: string): boolean; toString(): string } => {
    const linear = patterns.get(pattern)
    // the text is the compiler's key for the pattern
    return { test: (text) => linear?.test(text) ?? true, toString: () => pattern }
  }
  return Object.assign(engine, { code: 'linearPattern' })
}

/** Every cost that is not bounded by the sizes of schema and data goes through a reference; so references are counted. */
function countReferences(ajv: Ajv2020, budget: { references: number }): void {
  const spend = (): void => {
    budget.references += 1
    if (budget.references > MAX_REFERENCES)
      throw troupeError('tool_schema_invalid', 'the schema refers to itself too often')
  }
  for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef']) {
    const definition = ajv.getKeyword(keyword)
    if (typeof definition !== 'object' || !('code' in definition)) continue
    const { code } = definition as CodeKeywordDefinition
    ajv.removeKeyword(keyword)
    ajv.addKeyword({
      ...(definition as CodeKeywordDefinition),
      code(context, ruleType) {
        context.gen.code(_`${context.gen.scopeValue('func', { ref: spend })}()`)
        code(context, ruleType)
      },
    })
  }
}
