import type { ModelList } from '@troupe/client'
import { rootOf, usageOf, type RunViewState } from '../reducers/run-view-state.ts'

/** Context that the last model call of a conversation used. */
export interface ContextUse {
  /** Tokens of the request and the answer. */
  readonly tokens: number
  /** Maximum number of tokens of the model; `undefined` if it is not known. */
  readonly window: number | undefined
}

/** Returns the context that the last model call of the root run used; `undefined` before the first one. */
export function contextUse(viewState: RunViewState, models: ModelList['models']): ContextUse | undefined {
  const root = rootOf(viewState)
  const call = root && viewState.spans.get(root.runId)?.models.at(-1)
  if (call === undefined || call.inputTokens === 0) return undefined
  const choice = models.find(({ id, means = [] }) => id === call.model || means.includes(call.model))
  return { tokens: call.inputTokens + call.outputTokens, window: choice?.contextWindow }
}

/** A cost in USD. */
export interface KnownCost {
  readonly usd: number
  /** True if the price of some calls is not known, so that the cost is at least `usd`. */
  readonly isLowerBound: boolean
}

/** Adds the costs of the messages before the last, and what the last one has cost so far. */
export function conversationCost(
  earlier: readonly (number | null | undefined)[],
  last: RunViewState | undefined,
): KnownCost {
  const usage = last === undefined ? undefined : usageOf(last)
  const known = earlier.reduce<number>((sum, cost) => sum + (cost ?? 0), 0)
  return {
    usd: known + (usage === undefined ? 0 : usage.micros / 1_000_000),
    isLowerBound: earlier.includes(null) || (usage?.unpriced ?? 0) > 0,
  }
}
