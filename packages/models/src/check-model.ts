import type { Failure } from '@troupe/schema'
import type { ModelVariable } from './connection.ts'
import type { ModelContext } from './model-context.ts'
import { planModel } from './model-plan.ts'

/** Facts about a model id that need no model call. */
export interface ModelCheck {
  readonly provider?: string
  readonly name: string
  /** Variables that the provider reads from the overlay, without those that the configuration replaces. */
  readonly variables: readonly ModelVariable[]
  /** Token limit for a request and its answer together; `undefined` if not known. */
  readonly contextWindow?: number
  /** Set if neither the configuration nor the list prices have a price. */
  readonly unpriced?: true
  /** Failure that {@link resolveModel} would throw. */
  readonly problem?: Failure
}

/**
 * Checks a model id without a model call or network access: unknown provider, missing variables, invalid
 * script. Never throws.
 */
export function checkModel(id: string, context: ModelContext): ModelCheck {
  const { source, price, ...check } = planModel(id, context)
  const isProviders = source?.kind === 'provider' || check.problem?.code === 'env_missing'
  return isProviders && price === undefined ? { ...check, unpriced: true } : check
}
