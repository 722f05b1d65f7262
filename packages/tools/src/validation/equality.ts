import type { Json, JsonObject } from '@troupe/schema'
import type { ValidationBudget } from './evaluation.ts'

/** Returns true for equal JSON values, regardless of the order of keys. */
export function isEqual(one: Json, other: Json, budget: ValidationBudget): boolean {
  budget.spend(3)
  if (typeof one === 'string' && typeof other === 'string') {
    if (one.length !== other.length) return false
    budget.spend(one.length / 16)
    return one === other
  }
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return one === other
  if (Array.isArray(one) !== Array.isArray(other)) return false
  return Array.isArray(one)
    ? isEqualList(one as readonly Json[], other as readonly Json[], budget)
    : isEqualObject(one as JsonObject, other as JsonObject, budget)
}

function isEqualList(one: readonly Json[], other: readonly Json[], budget: ValidationBudget): boolean {
  return (
    one.length === other.length && one.every((each, index) => isEqual(each, other[index] as Json, budget))
  )
}

function isEqualObject(one: JsonObject, other: JsonObject, budget: ValidationBudget): boolean {
  const names = Object.keys(one)
  budget.spend(15 * names.length)
  if (names.length !== Object.keys(other).length) return false
  return names.every(
    (name) => Object.hasOwn(other, name) && isEqual(one[name] as Json, other[name] as Json, budget),
  )
}

/**
 * Returns the index of the first item that equals an earlier one, and the earlier index; `undefined` if all
 * differ. Takes linear time by comparing items as JSON text with sorted keys.
 */
export function findDuplicate(
  list: readonly Json[],
  budget: ValidationBudget,
): readonly [number, number] | undefined {
  const indexes = new Map<string, number>()
  for (const [index, item] of list.entries()) {
    const text = canonicalText(item, budget)
    const first = indexes.get(text)
    if (first !== undefined) return [first, index]
    indexes.set(text, index)
  }
  return undefined
}

function canonicalText(value: Json, budget: ValidationBudget): string {
  budget.spend(40)
  if (typeof value === 'string') budget.spend(value.length / 2)
  if (typeof value !== 'object' || value === null) return value === 0 ? '0' : JSON.stringify(value)
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).map((item) => canonicalText(item, budget))
    return `[${items.join(',')}]`
  }
  const object = value as JsonObject
  const names = Object.keys(object)
  budget.spend(names.length * (20 + 4 * Math.log2(names.length + 1)))
  const members = names
    .toSorted()
    .map((name) => `${canonicalText(name, budget)}:${canonicalText(object[name] as Json, budget)}`)
  return `{${members.join(',')}}`
}
