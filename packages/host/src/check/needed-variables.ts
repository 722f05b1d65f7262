import { findVariables } from '@troupe/env'
import type { Environment } from '../config/environments.ts'

/** A variable needed by one agent. */
export interface VariableNeed {
  readonly name: string
  readonly agent: string
  readonly neededFor: string
  readonly origin: string | undefined
}

/** Cache of required variable names by value. Agents share values, such as the servers of a configuration. */
const FOUND = new WeakMap<object, readonly string[]>()

/**
 * Returns the variables without a default in a value, as needs of an agent. The result is cached, so the
 * value must not change.
 */
export function variablesIn(
  value: object,
  need: { readonly agent: string; readonly neededFor: string; readonly environment: Environment },
): readonly VariableNeed[] {
  const names = FOUND.get(value) ?? requiredIn(value)
  FOUND.set(value, names)
  return names.map((name) => toNeed(name, need))
}

function requiredIn(value: object): readonly string[] {
  return findVariables(value).flatMap(({ name, hasDefault }) => (hasDefault ? [] : [name]))
}

/** Creates the need of an agent for one variable. */
export function toNeed(
  name: string,
  need: { readonly agent: string; readonly neededFor: string; readonly environment: Environment },
): VariableNeed {
  const { agent, neededFor, environment } = need
  return { name, agent, neededFor, origin: environment.overlay.origin(name) }
}
