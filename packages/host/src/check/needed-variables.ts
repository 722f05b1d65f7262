import { findVariables } from '@troupe/env'
import type { Environment } from '../config/environments.ts'

/** A variable needed by one agent. */
export interface VariableNeed {
  readonly name: string
  readonly agent: string
  readonly neededFor: string
  /** Name of the MCP server that needs the variable, if one does. */
  readonly server?: string
  readonly origin: string | undefined
}

/** The agent that needs variables, what it needs them for, and where they are looked up. */
type VariableUse = Omit<VariableNeed, 'name' | 'origin'> & { readonly environment: Environment }

/** Cache of required variable names by value. Agents share values, such as the servers of a configuration. */
const FOUND = new WeakMap<object, readonly string[]>()

/**
 * Returns the variables without a default in a value, as needs of an agent. The result is cached, so the
 * value must not change.
 */
export function variablesIn(value: object, use: VariableUse): readonly VariableNeed[] {
  const names = FOUND.get(value) ?? requiredIn(value)
  FOUND.set(value, names)
  return names.map((name) => toNeed(name, use))
}

function requiredIn(value: object): readonly string[] {
  return findVariables(value).flatMap(({ name, hasDefault }) => (hasDefault ? [] : [name]))
}

/** Creates the need of an agent for one variable. */
export function toNeed(name: string, { environment, ...use }: VariableUse): VariableNeed {
  return { name, ...use, origin: environment.overlay.origin(name) }
}
