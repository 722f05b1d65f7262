import type { Json } from '@troupe/schema'
import { SeenMembers, type KeywordCheck, type SchemaEvaluation, type SchemaNode } from './evaluation.ts'
import { keyword, LIST, SCHEMA, TEXT, type Keyword, type KeywordContext } from './keyword.ts'
import type { SchemaResource } from './schema-document.ts'

/** Keywords that apply other schemas to the same value. */
export const COMBINING_KEYWORDS: readonly (readonly [string, Keyword])[] = [
  keyword('$ref', TEXT, ({ value: reference, resource, compiler }) => {
    const { node } = compiler.resolve(reference, resource)
    return (value, evaluation, seen) => applyReference(node, value, { evaluation, seen })
  }),
  keyword('$dynamicRef', TEXT, compileDynamicRef),
  keyword('$recursiveRef', TEXT, compileRecursiveRef),
  keyword('allOf', LIST, (context) => {
    const nodes = nodesOf(context)
    return (value, evaluation, seen) => {
      let fits = true
      for (const node of nodes) if (!evaluation.evaluate(node, value, seen)) fits = false
      return fits
    }
  }),
  keyword('anyOf', LIST, (context) => {
    const nodes = nodesOf(context)
    return (value, evaluation, seen) => {
      const before = evaluation.problems.length
      const matches = countMatches(nodes, value, { evaluation, seen, enough: 1 })
      if (matches === 0) return evaluation.fail('must match a schema in anyOf')
      evaluation.problems.length = Math.min(before, evaluation.problems.length)
      return true
    }
  }),
  keyword('oneOf', LIST, (context) => {
    const nodes = nodesOf(context)
    return (value, evaluation, seen) => {
      const before = evaluation.problems.length
      const matches = countMatches(nodes, value, { evaluation, seen, enough: 2 })
      if (matches !== 1) return evaluation.fail('must match exactly one schema in oneOf')
      evaluation.problems.length = Math.min(before, evaluation.problems.length)
      return true
    }
  }),
  keyword('not', SCHEMA, ({ value: schema, compiler, resource }) => {
    const node = compiler.compile(schema, resource)
    return (value, evaluation) => !evaluation.test(node, value) || evaluation.fail('must NOT be valid')
  }),
  keyword('if', SCHEMA, compileIf),
]

interface EvaluationTarget {
  readonly evaluation: SchemaEvaluation
  readonly seen: SeenMembers | undefined
}

/** Applies a referenced schema. Resets the condition depth, so that defaults in it are filled in. */
function applyReference(node: SchemaNode, value: Json, { evaluation, seen }: EvaluationTarget): boolean {
  const { conditions } = evaluation
  evaluation.conditions = 0
  const fits = evaluation.evaluate(node, value, seen)
  evaluation.conditions = conditions
  return fits
}

/** Counts matching schemas up to `enough`. Tries all of them if the evaluated members matter. */
function countMatches(
  nodes: readonly SchemaNode[],
  value: Json,
  { evaluation, seen, enough }: EvaluationTarget & { readonly enough: number },
): number {
  let matches = 0
  for (const node of nodes) {
    const own = seen === undefined ? undefined : new SeenMembers()
    if (!evaluation.try(node, value, own)) continue
    matches += 1
    if (own !== undefined) seen?.merge(own, evaluation.budget)
    else if (matches === enough) break
  }
  return matches
}

function nodesOf({ value, compiler, resource }: KeywordContext<readonly Json[]>): readonly SchemaNode[] {
  return value.map((schema) => compiler.compile(schema, resource))
}

function compileIf({ value, schema, compiler, resource }: KeywordContext): KeywordCheck | undefined {
  const branch = (name: 'then' | 'else'): SchemaNode | undefined => {
    const own = Object.hasOwn(schema, name) ? schema[name] : undefined
    return own === undefined ? undefined : compiler.compile(own, resource)
  }
  const condition = compiler.compile(value, resource)
  const [then, otherwise] = [branch('then'), branch('else')]
  return (data, evaluation, seen) => {
    const own = seen === undefined ? undefined : new SeenMembers()
    const holds = evaluation.test(condition, data, own)
    if (holds && own !== undefined) seen?.merge(own, evaluation.budget)
    const node = holds ? then : otherwise
    if (node === undefined || evaluation.evaluate(node, data, seen)) return true
    return evaluation.fail(`must match "${holds ? 'then' : 'else'}" schema`)
  }
}

/**
 * Compiles `$dynamicRef`. A reference to a dynamic anchor resolves to the outermost resource in scope that
 * has the anchor.
 */
function compileDynamicRef({ value: reference, resource, compiler }: KeywordContext<string>): KeywordCheck {
  const { node, resource: target } = compiler.resolve(reference, resource)
  const anchor = reference.slice(reference.indexOf('#') + 1)
  if (!target.dynamicAnchors.has(anchor))
    return (value, evaluation, seen) => applyReference(node, value, { evaluation, seen })
  return compileDynamic(node, (each) => {
    const schema = each.dynamicAnchors.get(anchor)
    return schema === undefined ? undefined : compiler.compile(schema, each)
  })
}

/** Compiles `$recursiveRef`, the draft 2019-09 form of `$dynamicRef`. */
function compileRecursiveRef({ value: reference, resource, compiler }: KeywordContext<string>): KeywordCheck {
  const { node, resource: target } = compiler.resolve(reference, resource)
  if (!isRecursive(target))
    return (value, evaluation, seen) => applyReference(node, value, { evaluation, seen })
  return compileDynamic(node, (each) => (isRecursive(each) ? compiler.compile(each.root, each) : undefined))
}

function isRecursive({ root }: SchemaResource): boolean {
  return (
    typeof root === 'object' &&
    root !== null &&
    !Array.isArray(root) &&
    Reflect.get(root, '$recursiveAnchor') === true
  )
}

function compileDynamic(
  node: SchemaNode,
  find: (resource: SchemaResource) => SchemaNode | undefined,
): KeywordCheck {
  return (value, evaluation, seen) => {
    evaluation.budget.spend(2 * evaluation.scope.length)
    for (const resource of evaluation.scope) {
      const outermost = find(resource)
      if (outermost !== undefined) return applyReference(outermost, value, { evaluation, seen })
    }
    return applyReference(node, value, { evaluation, seen })
  }
}
