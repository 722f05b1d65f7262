import { hasCap, runLimitName } from '@troupe/core'
import type { Budget } from '@troupe/schema'
import type { RunTreeSettings } from '@troupe/schema/ports'

/** Caps on the usage of a run and all runs below it. Plain JSON, stored for the runs below. */
export interface StoredCaps {
  /** Id of the run; empty for the budget that the caller of the root run passed. */
  readonly budgetId: string
  readonly budget: Budget
  /** Names of the caps for messages. */
  readonly names: { readonly [K in keyof Budget]: string }
}

/** Maximum length of a name. */
const LONGEST_NAME = 500

/** Returns the caps as they are stored; empty if there is none. */
export function toStoredCaps(
  budgetId: string,
  budget: Budget,
  limitName: (key: keyof Budget) => string,
): readonly StoredCaps[] {
  const keys = (['maxTokens', 'maxCost'] as const).filter((key) => Number.isFinite(budget[key]))
  const pick = <Value>(valueOf: (key: keyof Budget) => Value) =>
    Object.fromEntries(keys.map((key) => [key, valueOf(key)]))
  const caps = {
    budgetId,
    budget: pick((key) => budget[key]),
    names: pick((key) => limitName(key).slice(0, LONGEST_NAME)),
  }
  return hasCap(caps.budget) ? [caps] : []
}

/** Returns the caps that the caller of the root run set for all its runs. */
export function capsOfTree({ budget = {} }: RunTreeSettings): readonly StoredCaps[] {
  return toStoredCaps('', budget, runLimitName)
}
