import { isJsonObject, type Json } from '@troupe/schema'
import { type KeywordCheck, type SchemaEvaluation, shownValue } from './evaluation.ts'
import { isEqual } from './equality.ts'
import { ANY, keyword, LIST, NUMBER, TEXT, type Keyword, type KeywordContext } from './keyword.ts'

/** Keywords for the value itself: type, allowed values, numbers and text. */
export const VALUE_KEYWORDS: readonly (readonly [string, Keyword])[] = [
  ['type', { expected: 'must be JSONType or JSONType[]', accepts: isTypes, compile: checkType }],
  keyword('enum', LIST, ({ value: list }) => {
    const isListed = oneOfValues(list)
    const message = `must be equal to one of the allowed values: ${shownValue(list)}`
    return (value, evaluation) => isListed(value, evaluation) || evaluation.fail(message)
  }),
  keyword('const', ANY, ({ value: only }) => {
    const message = `must be equal to constant: ${shownValue(only)}`
    return (value, evaluation) => isEqual(value, only, evaluation.budget) || evaluation.fail(message)
  }),
  limit('minimum', '>=', (value, bound) => value >= bound),
  limit('maximum', '<=', (value, bound) => value <= bound),
  limit('exclusiveMinimum', '>', (value, bound) => value > bound),
  limit('exclusiveMaximum', '<', (value, bound) => value < bound),
  limit('multipleOf', 'multiple of', (value, bound) => Number.isInteger(value / bound)),
  keyword('minLength', NUMBER, ({ value: least }) => (value, evaluation) => {
    if (typeof value !== 'string' || isLongEnough(value, least, evaluation)) return true
    return evaluation.fail(`must NOT have fewer than ${least} characters`)
  }),
  keyword('maxLength', NUMBER, ({ value: most }) => (value, evaluation) => {
    if (typeof value !== 'string' || isShortEnough(value, most, evaluation)) return true
    return evaluation.fail(`must NOT have more than ${most} characters`)
  }),
  keyword('pattern', TEXT, ({ value: source, compiler }) => {
    const pattern = compiler.patterns.get(source)
    if (pattern === undefined) return undefined
    const message = `must match pattern "${source}"`
    return (value, evaluation) => {
      if (typeof value !== 'string') return true
      evaluation.budget.spend(pattern.cost(value))
      return pattern.test(value) || evaluation.fail(message)
    }
  }),
]

const TYPES: ReadonlyMap<Json, (value: Json) => boolean> = new Map<Json, (value: Json) => boolean>([
  ['string', (value) => typeof value === 'string'],
  ['number', (value) => typeof value === 'number'],
  ['integer', (value) => Number.isInteger(value)],
  ['boolean', (value) => typeof value === 'boolean'],
  ['null', (value) => value === null],
  ['array', (value) => Array.isArray(value)],
  ['object', isJsonObject],
])

function isTypes(value: Json): boolean {
  return Array.isArray(value) ? value.every((each: Json) => TYPES.has(each)) : TYPES.has(value)
}

/** Compiles `type`. OpenAPI's `nullable` is supported next to `type` only. */
function checkType({ value: type, schema }: KeywordContext): KeywordCheck | undefined {
  const listed: readonly Json[] = Array.isArray(type) ? (type as readonly Json[]) : [type]
  const names = new Set([...listed, ...(schema['nullable'] === true ? ['null'] : [])])
  if (listed.length === 0) return undefined
  const tests = [...names].map((name) => TYPES.get(name))
  const message = `must be ${listed.slice(0, TYPES.size).map(String).join(',')}`
  return (value, evaluation) => tests.some((test) => test?.(value) === true) || evaluation.fail(message)
}

function limit(
  name: string,
  words: string,
  isWithin: (value: number, bound: number) => boolean,
): readonly [string, Keyword] {
  return keyword(name, NUMBER, ({ value: bound }) => {
    const message = `must be ${words} ${bound}`
    return (value, evaluation) =>
      typeof value !== 'number' || isWithin(value, bound) || evaluation.fail(message)
  })
}

/**
 * Compares the length in characters. A character has one or two UTF-16 units, so most texts need no counting.
 */
function isLongEnough(text: string, least: number, evaluation: SchemaEvaluation): boolean {
  if (text.length < least) return false
  return text.length / 2 >= least || countCharacters(text, evaluation) >= least
}

function isShortEnough(text: string, most: number, evaluation: SchemaEvaluation): boolean {
  if (text.length <= most) return true
  return text.length / 2 <= most && countCharacters(text, evaluation) <= most
}

function countCharacters(text: string, { budget }: SchemaEvaluation): number {
  budget.spend(text.length)
  let count = 0
  for (let at = 0; at < text.length; at += 1) {
    count += 1
    if ((text.codePointAt(at) ?? 0) > 0xffff) at += 1
  }
  return count
}

/** Compiles a test for `enum`. Looks scalars up in a set, because the list may be long. */
function oneOfValues(list: readonly Json[]): (value: Json, evaluation: SchemaEvaluation) => boolean {
  const scalars = new Set(list.filter((each) => typeof each !== 'object' || each === null))
  const others = list.filter((each) => typeof each === 'object' && each !== null)
  return (value, { budget }) => {
    if (typeof value === 'string') budget.spend(value.length / 16)
    if (typeof value !== 'object' || value === null) return scalars.has(value)
    return others.some((other) => isEqual(value, other, budget))
  }
}
