import type { Json, JsonObject } from '@troupe/schema'
import { findDuplicate } from './equality.ts'
import type { KeywordCheck } from './evaluation.ts'
import { ANY, BOOLEAN, keyword, LIST, NUMBER, SCHEMA, type Keyword, type KeywordContext } from './keyword.ts'

/** Keywords for arrays. */
export const ARRAY_KEYWORDS: readonly (readonly [string, Keyword])[] = [
  keyword(
    'minItems',
    NUMBER,
    ({ value: least }) =>
      (value, evaluation) =>
        !isList(value) || value.length >= least || evaluation.fail(`must NOT have fewer than ${least} items`),
  ),
  keyword(
    'maxItems',
    NUMBER,
    ({ value: most }) =>
      (value, evaluation) =>
        !isList(value) || value.length <= most || evaluation.fail(`must NOT have more than ${most} items`),
  ),
  keyword('uniqueItems', BOOLEAN, ({ value: isWanted }) => (isWanted ? checkUnique : undefined)),
  keyword('prefixItems', LIST, (context) =>
    checkItems(context, { positions: context.value, rest: context.schema['items'] }),
  ),
  keyword('items', ANY, (context) => {
    const { value, schema } = context
    // handled by `prefixItems`
    if (Array.isArray(schema['prefixItems'])) return undefined
    // up to draft 2019-09, a list in `items` had the meaning of `prefixItems`, and `additionalItems` that of
    // `items`
    return isList(value)
      ? checkItems(context, { positions: value, rest: schema['additionalItems'] })
      : checkItems(context, { positions: [], rest: value })
  }),
  keyword('contains', SCHEMA, checkContains),
]

const checkUnique: KeywordCheck = (value, evaluation) => {
  const twins = isList(value) ? findDuplicate(value, evaluation.budget) : undefined
  return (
    twins === undefined ||
    evaluation.fail(`must NOT have duplicate items (items ## ${twins[0]} and ${twins[1]} are identical)`)
  )
}

function checkItems(
  { compiler, resource }: KeywordContext,
  { positions, rest }: { readonly positions: readonly Json[]; readonly rest: Json | undefined },
): KeywordCheck {
  const nodes = positions.map((schema) => compiler.compile(schema, resource))
  const restNode = rest === undefined || isList(rest) ? undefined : compiler.compile(rest, resource)
  return (value, evaluation, seen) => {
    if (!isList(value)) return true
    if (seen !== undefined)
      seen.upTo = Math.max(seen.upTo, restNode === undefined ? nodes.length : value.length)
    if (rest === false && value.length > nodes.length)
      return evaluation.fail(`must NOT have more than ${nodes.length} items`)
    const length = restNode === undefined ? Math.min(nodes.length, value.length) : value.length
    evaluation.budget.spend(length)
    let fits = true
    for (let index = 0; index < length; index += 1) {
      const node = nodes[index] ?? restNode
      if (node !== undefined && !evaluation.evaluateMember(node, index, value[index] as Json)) fits = false
    }
    return fits
  }
}

function checkContains({ value: schema, schema: outer, compiler, resource }: KeywordContext): KeywordCheck {
  const node = compiler.compile(schema, resource)
  const least = numberOf(outer, 'minContains') ?? 1
  const most = numberOf(outer, 'maxContains')
  const message =
    most === undefined
      ? `must contain at least ${least} valid item(s)`
      : `must contain at least ${least} and no more than ${most} valid item(s)`
  return (value, evaluation, seen) => {
    if (!isList(value)) return true
    let count = 0
    for (const [index, item] of value.entries()) {
      if (!evaluation.test(node, item)) continue
      count += 1
      if (seen !== undefined) seen.addIndex(index, evaluation.budget)
      if (seen === undefined && most === undefined && count >= least) break
    }
    return (count >= least && count <= (most ?? count)) || evaluation.fail(message)
  }
}

function numberOf(schema: JsonObject, name: string): number | undefined {
  const value = Object.hasOwn(schema, name) ? schema[name] : undefined
  return typeof value === 'number' ? value : undefined
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}
