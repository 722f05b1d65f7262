import { isJsonObject, troupeError, type Json, type JsonObject, errorMessage } from '@troupe/schema'
import { ARRAY_KEYWORDS } from './array-keywords.ts'
import { COMBINING_KEYWORDS } from './combining-keywords.ts'
import type { KeywordCheck, SchemaEvaluation, SchemaNode, ValidationBudget } from './evaluation.ts'
import type { Keyword, KeywordTable, SchemaCompiler } from './keyword.ts'
import { createLinearPatterns } from './linear-patterns.ts'
import { OBJECT_KEYWORDS, UNEVALUATED_KEYWORDS } from './object-keywords.ts'
import { readDocument, type SchemaResource } from './schema-document.ts'
import { VALUE_KEYWORDS } from './value-keywords.ts'
import { findSchemaProblem } from '@troupe/json-schema'

/**
 * Limit of compiled schemas. `measureSchema` limits only schemas in schema positions, but references can make
 * any object a schema.
 */
const MAX_NODES = 2000

/** Keywords in the order of their checks. `unevaluated…` comes last, because it depends on the others. */
const KEYWORDS: KeywordTable = new Map<string, Keyword>([
  ...VALUE_KEYWORDS,
  ...COMBINING_KEYWORDS,
  ...ARRAY_KEYWORDS,
  ...OBJECT_KEYWORDS,
  ...UNEVALUATED_KEYWORDS,
])

/** Returns true if the value is valid. The evaluation collects the problems. */
export type CheckValue = (value: Json, evaluation: SchemaEvaluation) => boolean

/**
 * Compiles a measured schema (draft 2020-12; older drafts where compatible) to functions that count their
 * work. Generates no code: that is slow, and V8 needs gigabytes to optimise a large function. Throws
 * `tool_schema_invalid` for an invalid keyword value or an unresolvable reference.
 */
export function compileSchema(schema: JsonObject): CheckValue {
  const document = readDocument(schema)
  const nodes = new Map<JsonObject, SchemaNode>()
  const open: { readonly schema: JsonObject; readonly node: SchemaNode }[] = []
  const compiler: SchemaCompiler = {
    patterns: createLinearPatterns(),
    compile(inner, outer) {
      if (!isJsonObject(inner)) return inner === false ? NEVER : ALWAYS
      const known = nodes.get(inner)
      if (known !== undefined) return known
      const node: SchemaNode = {
        resource: document.resourceOf(inner) ?? outer,
        needsSeen: Object.hasOwn(inner, 'unevaluatedItems') || Object.hasOwn(inner, 'unevaluatedProperties'),
        checks: [],
      }
      nodes.set(inner, node)
      if (nodes.size > MAX_NODES)
        throw troupeError('tool_schema_invalid', `it has more than ${MAX_NODES} subschemas`)
      open.push({ schema: inner, node })
      return node
    },
    resolve(reference, from) {
      const target = document.resolve(reference, from)
      return { ...target, node: compiler.compile(target.schema, target.resource) }
    },
  }
  const root = compiler.compile(schema, document.root)
  for (let next = open.pop(); next !== undefined; next = open.pop())
    next.node.checks = checksOf(next.schema, next.node.resource, compiler)
  return (value, evaluation) => evaluation.evaluate(root, value)
}

const NOWHERE: SchemaResource = { uri: '', root: true, anchors: new Map(), dynamicAnchors: new Map() }
const ALWAYS: SchemaNode = { resource: NOWHERE, needsSeen: false, checks: [] }
const NEVER: SchemaNode = {
  resource: NOWHERE,
  needsSeen: false,
  checks: [(_value, evaluation) => evaluation.fail('boolean schema is false')],
}

function checksOf(
  schema: JsonObject,
  resource: SchemaResource,
  compiler: SchemaCompiler,
): readonly KeywordCheck[] {
  const checks: KeywordCheck[] = []
  const defaults = fillDefaults(schema)
  if (defaults !== undefined) checks.push(defaults)
  for (const [name, keyword] of KEYWORDS) {
    if (!Object.hasOwn(schema, name)) continue
    const value = schema[name] as Json
    if (!keyword.accepts(value)) throw troupeError('tool_schema_invalid', `${name} ${keyword.expected}`)
    const check = keyword.compile({ value, schema, resource, compiler })
    if (check !== undefined) checks.push(check)
  }
  return checks
}

/**
 * Returns the reason why values cannot be validated against a schema; `undefined` if they can. Lets callers
 * reject an output schema before the model is called.
 */
export function schemaProblem(schema: JsonObject): string | undefined {
  const problem = findSchemaProblem(schema)
  if (problem !== undefined) return problem
  try {
    compileSchema(schema)
    return undefined
  } catch (thrown) {
    return errorMessage(thrown)
  }
}

/**
 * Compiles a check that sets missing properties to the defaults of their schemas and never fails. `undefined`
 * if there are no defaults.
 */
function fillDefaults({ properties }: JsonObject): KeywordCheck | undefined {
  if (!isJsonObject(properties)) return undefined
  const defaults = Object.entries(properties).flatMap(([name, schema]) =>
    isJsonObject(schema) && Object.hasOwn(schema, 'default')
      ? [[name, schema['default'] as Json] as const]
      : [],
  )
  if (defaults.length === 0) return undefined
  return (value, evaluation) => {
    if (!isJsonObject(value) || evaluation.conditions > 0) return true
    evaluation.budget.spend(5 * defaults.length)
    for (const [name, preset] of defaults)
      if (isMissing(value, name, evaluation.budget)) define(value, name, copyJson(preset, evaluation.budget))
    return true
  }
}

function isMissing(value: JsonObject, name: string, budget: ValidationBudget): boolean {
  if (Object.hasOwn(value, name)) return false
  budget.spend(30)
  return true
}

/** Defines a property, including `__proto__`, on a copy. */
function define(object: JsonObject, name: string, value: Json): void {
  Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true })
}

/** Returns a deep copy. Counts more work per value than copying takes, because the copy uses memory too. */
export function copyJson<Value extends Json>(value: Value, budget: ValidationBudget): Value
export function copyJson(value: Json, budget: ValidationBudget): Json {
  budget.spend(15)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return (value as readonly Json[]).map((each) => copyJson(each, budget))
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, copyJson(each, budget)]))
}
