import { isJsonObject, troupeError, type Json, type JsonObject } from '@troupe/schema'
import { ARRAY_KEYWORDS } from './array-keywords.ts'
import { COMBINING_KEYWORDS } from './combining-keywords.ts'
import { fillDefaults } from './defaults.ts'
import type { KeywordCheck, SchemaEvaluation, SchemaNode } from './evaluation.ts'
import type { Keyword, KeywordTable, SchemaCompiler } from './keyword.ts'
import { createLinearPatterns } from './linear-patterns.ts'
import { OBJECT_KEYWORDS } from './object-keywords.ts'
import { readDocument, type SchemaResource } from './schema-document.ts'
import { UNEVALUATED_KEYWORDS } from './unevaluated-keywords.ts'
import { VALUE_KEYWORDS } from './value-keywords.ts'

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
