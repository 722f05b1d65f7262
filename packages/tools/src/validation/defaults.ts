import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import type { Check } from './evaluation.ts'
import type { WorkBudget } from './work-budget.ts'

/** A check that never fails: sets the properties that are missing to the defaults of their schemas. `undefined` if there are none. */
export function fillDefaults({ properties }: JsonObject): Check | undefined {
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

function isMissing(value: JsonObject, name: string, budget: WorkBudget): boolean {
  if (Object.hasOwn(value, name)) return false
  budget.spend(30)
  return true
}

/** A property of a copy that is still being made. */
function define(object: JsonObject, name: string, value: Json): void {
  Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true })
}

/** A deep copy. Each value counts as more work than it is, because the copy also takes memory. */
export function copyJson<Value extends Json>(value: Value, budget: WorkBudget): Value
export function copyJson(value: Json, budget: WorkBudget): Json {
  budget.spend(15)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return (value as readonly Json[]).map((each) => copyJson(each, budget))
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, copyJson(each, budget)]))
}
