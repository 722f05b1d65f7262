import type { Failure } from '@troupe/schema'
import type { ModelVariable } from './connection.ts'
import type { ModelContext } from './model-context.ts'
import { planModel } from './model-plan.ts'

/** What is known of a model id without calling the model. */
export interface ModelCheck {
  readonly provider?: string
  readonly name: string
  /** What the provider looks for in the overlay; nothing that the configuration gives instead. */
  readonly variables: readonly ModelVariable[]
  /** Tokens that a request and its answer may have together; none: it is not known. */
  readonly contextWindow?: number
  /** Neither the configuration nor the list of prices says what it costs. */
  readonly unpriced?: true
  /** Why {@link resolveModel} would throw. */
  readonly problem?: Failure
}

/** Looks into a model id without a model call and without the network: unknown provider, missing variables, broken script. Never throws. */
export function checkModel(id: string, context: ModelContext): ModelCheck {
  const { source, price, ...check } = planModel(id, context)
  const isProviders = source?.kind === 'provider' || check.problem?.code === 'env_missing'
  return isProviders && price === undefined ? { ...check, unpriced: true } : check
}
