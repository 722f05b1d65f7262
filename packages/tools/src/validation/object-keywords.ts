import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { type KeywordCheck, type SchemaEvaluation, type SchemaNode, shownValue } from './evaluation.ts'
import {
  keyword,
  LIST,
  MAP,
  NUMBER,
  SCHEMA,
  type Keyword,
  type KeywordContext,
  type SchemaCompiler,
} from './keyword.ts'
import type { LinearPattern } from './linear-patterns.ts'

/** Keywords for objects. */
export const OBJECT_KEYWORDS: readonly (readonly [string, Keyword])[] = [
  keyword(
    'minProperties',
    NUMBER,
    ({ value: least }) =>
      (value, evaluation) =>
        !isJsonObject(value) ||
        namesOf(value, evaluation).length >= least ||
        evaluation.fail(`must NOT have fewer than ${least} properties`),
  ),
  keyword(
    'maxProperties',
    NUMBER,
    ({ value: most }) =>
      (value, evaluation) =>
        !isJsonObject(value) ||
        namesOf(value, evaluation).length <= most ||
        evaluation.fail(`must NOT have more than ${most} properties`),
  ),
  keyword('required', LIST, ({ value: list }) => {
    const names = textsOf(list)
    return (value, evaluation) => {
      if (!isJsonObject(value)) return true
      const missing = missingOf(names, value, evaluation)
      for (const name of missing) evaluation.fail(`must have required property '${name.slice(0, 200)}'`)
      return missing.length === 0
    }
  }),
  keyword('dependentRequired', MAP, ({ value: map }) => checkDependencies(Object.entries(map), undefined)),
  keyword('dependentSchemas', MAP, (context) => checkDependencies(Object.entries(context.value), context)),
  // one keyword for both until draft 7
  keyword('dependencies', MAP, (context) => checkDependencies(Object.entries(context.value), context)),
  keyword('propertyNames', SCHEMA, ({ value: schema, compiler, resource }) => {
    const node = compiler.compile(schema, resource)
    return (value, evaluation) => {
      if (!isJsonObject(value)) return true
      let fits = true
      for (const name of namesOf(value, evaluation))
        if (!evaluation.try(node, name))
          fits = evaluation.fail(`property name must be valid: ${shownValue(name)}`)
      return fits
    }
  }),
  keyword('additionalProperties', SCHEMA, checkAdditional),
  keyword('properties', MAP, checkProperties),
  keyword('patternProperties', MAP, checkPatternProperties),
]

function namesOf(value: JsonObject, { budget }: SchemaEvaluation): readonly string[] {
  const names = Object.keys(value)
  budget.spend(15 * names.length)
  return names
}

function textsOf(value: Json): readonly string[] {
  return Array.isArray(value)
    ? [...new Set((value as readonly Json[]).filter((name) => typeof name === 'string'))]
    : []
}

function missingOf(
  names: readonly string[],
  value: JsonObject,
  { budget }: SchemaEvaluation,
): readonly string[] {
  budget.spend(6 * names.length)
  return names.filter((name) => !Object.hasOwn(value, name))
}

/** Checks dependencies by property: required names, or a schema for the whole object. */
function checkDependencies(
  entries: readonly (readonly [string, Json])[],
  context: KeywordContext | undefined,
): KeywordCheck {
  const names = entries.flatMap(([name, value]) =>
    Array.isArray(value) ? [[name, textsOf(value)] as const] : [],
  )
  const nodes = entries.flatMap(([name, value]) =>
    Array.isArray(value) || context === undefined
      ? []
      : [[name, context.compiler.compile(value, context.resource)] as const],
  )
  return (value, evaluation, seen) => {
    if (!isJsonObject(value)) return true
    evaluation.budget.spend(3 * (names.length + nodes.length))
    let fits = true
    for (const [name, needed] of names) {
      const missing = Object.hasOwn(value, name) ? missingOf(needed, value, evaluation) : []
      if (missing.length > 0) {
        const shown = missing.slice(0, 10).join(', ').slice(0, 100)
        fits = evaluation.fail(`must have properties ${shown} when property ${name.slice(0, 100)} is present`)
      }
    }
    for (const [name, node] of nodes)
      if (Object.hasOwn(value, name) && !evaluation.evaluate(node, value, seen)) fits = false
    return fits
  }
}

function checkProperties({ value: map, compiler, resource }: KeywordContext<JsonObject>): KeywordCheck {
  const nodes = new Map<string, SchemaNode>()
  for (const [name, schema] of Object.entries(map)) nodes.set(name, compiler.compile(schema, resource))
  return (value, evaluation, seen) => {
    if (!isJsonObject(value)) return true
    evaluation.budget.spend(3 * nodes.size)
    let fits = true
    for (const [name, node] of nodes) {
      if (!Object.hasOwn(value, name)) continue
      seen?.addName(name, evaluation.budget)
      if (!evaluation.evaluateMember(node, name, value[name] as Json)) fits = false
    }
    return fits
  }
}

interface PatternSchema {
  readonly pattern: LinearPattern
  readonly schema: Json
}

/** Returns the patterns of `patternProperties`; `undefined` if one of them is not supported. */
function patternsOf(schema: JsonObject, compiler: SchemaCompiler): readonly PatternSchema[] | undefined {
  const supported = supportedPatterns(schema, compiler)
  const { patternProperties: map } = schema
  return supported.length === (isJsonObject(map) ? Object.keys(map).length : 0) ? supported : undefined
}

function supportedPatterns(
  { patternProperties: map }: JsonObject,
  compiler: SchemaCompiler,
): readonly PatternSchema[] {
  if (!isJsonObject(map)) return []
  return Object.entries(map).flatMap(([source, schema]) => {
    const pattern = compiler.patterns.get(source)
    return pattern === undefined ? [] : [{ pattern, schema }]
  })
}

function matches({ pattern }: PatternSchema, name: string, { budget }: SchemaEvaluation): boolean {
  budget.spend(pattern.cost(name))
  return pattern.test(name)
}

function checkPatternProperties({ schema, compiler, resource }: KeywordContext): KeywordCheck {
  const patterns = supportedPatterns(schema, compiler).map((each) => ({
    ...each,
    node: compiler.compile(each.schema, resource),
  }))
  return (value, evaluation, seen) => {
    if (!isJsonObject(value)) return true
    let fits = true
    for (const name of namesOf(value, evaluation))
      for (const each of patterns) {
        if (!matches(each, name, evaluation)) continue
        seen?.addName(name, evaluation.budget)
        if (!evaluation.evaluateMember(each.node, name, value[name] as Json)) fits = false
      }
    return fits
  }
}

/**
 * Compiles `additionalProperties`. If a pattern is not supported, all properties are allowed, because the
 * additional ones are not known.
 */
function checkAdditional({
  value: rest,
  schema,
  compiler,
  resource,
}: KeywordContext): KeywordCheck | undefined {
  const patterns = patternsOf(schema, compiler)
  if (patterns === undefined) return undefined
  const known = new Set(isJsonObject(schema['properties']) ? Object.keys(schema['properties']) : [])
  const node = compiler.compile(rest, resource)
  return (value, evaluation, seen) => {
    if (!isJsonObject(value)) return true
    let fits = true
    for (const name of namesOf(value, evaluation)) {
      seen?.addName(name, evaluation.budget)
      if (known.has(name) || patterns.some((each) => matches(each, name, evaluation))) continue
      if (rest === false) fits = evaluation.fail(`must NOT have additional properties: ${shownValue(name)}`)
      else if (!evaluation.evaluateMember(node, name, value[name] as Json)) fits = false
    }
    return fits
  }
}

/** Returns true if `unevaluatedProperties` of the schema can be checked. */
function hasKnownPatterns(schema: JsonObject, compiler: SchemaCompiler): boolean {
  return patternsOf(schema, compiler) !== undefined
}

/** Keywords for members that no other keyword has evaluated. `seen` is set if a schema uses one of them. */
export const UNEVALUATED_KEYWORDS: readonly (readonly [string, Keyword])[] = [
  keyword('unevaluatedItems', SCHEMA, ({ value: rest, compiler, resource }) => {
    const node = compiler.compile(rest, resource)
    return (value, evaluation, seen) => {
      if (!Array.isArray(value) || seen === undefined) return true
      const list = value as readonly Json[]
      evaluation.budget.spend(3 * list.length)
      const { upTo, indexes } = seen
      let fits = true
      for (let index = upTo; index < list.length; index += 1) {
        if (indexes.has(index)) continue
        if (rest === false) return evaluation.fail(`must NOT have more than ${index} items`)
        if (!evaluation.evaluateMember(node, index, list[index] as Json)) fits = false
      }
      seen.upTo = list.length
      return fits
    }
  }),
  keyword('unevaluatedProperties', SCHEMA, ({ value: rest, schema, compiler, resource }) => {
    if (!hasKnownPatterns(schema, compiler)) return undefined
    const node = compiler.compile(rest, resource)
    return (value, evaluation, seen) => {
      if (!isJsonObject(value) || seen === undefined) return true
      const names = Object.keys(value)
      evaluation.budget.spend(15 * names.length)
      let fits = true
      for (const name of names) {
        if (seen.names.has(name)) continue
        if (rest === false)
          fits = evaluation.fail(`must NOT have unevaluated properties: ${shownValue(name)}`)
        else if (!evaluation.evaluateMember(node, name, value[name] as Json)) fits = false
      }
      seen.addNames(names, evaluation.budget)
      return fits
    }
  }),
]
