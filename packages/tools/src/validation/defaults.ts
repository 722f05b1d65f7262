import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import type { KeywordCheck } from './evaluation.ts'
import type { ValidationBudget } from './validation-budget.ts'

/**
 * Compiles a check that sets missing properties to the defaults of their schemas and never fails. `undefined`
 * if there are no defaults.
 */
export function fillDefaults({ properties }: JsonObject): KeywordCheck | undefined {
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
