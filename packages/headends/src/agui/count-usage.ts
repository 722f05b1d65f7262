import type { RunEvent } from '@troupe/schema'

/**
 * Token usage of one model in AG-UI's format. `totalTokens` is input plus output; the other counts are parts
 * of those.
 */
export interface AguiUsage {
  readonly provider: string
  readonly model: string
  readonly inputTokens: number
  readonly outputTokens: number
  readonly totalTokens: number
  readonly reasoningTokens: number
  readonly cachedInputTokens: number
  readonly cacheWriteInputTokens: number
}

/**
 * Creates a counter that sums the usage of all model calls of a request, subagents included, by provider and
 * model.
 */
export function createUsageCount(): { add(event: RunEvent): void; list(): readonly AguiUsage[] } {
  const counts = new Map<string, AguiUsage>()
  return {
    add(event) {
      if (event.type !== 'usage') return
      const { provider, model, tokens } = event
      const key = `${provider}\n${model}`
      const before = counts.get(key)
      const inputTokens = (before?.inputTokens ?? 0) + tokens.input
      const outputTokens = (before?.outputTokens ?? 0) + tokens.output
      counts.set(key, {
        provider,
        model,
        inputTokens,
        outputTokens,
        totalTokens: inputTokens + outputTokens,
        reasoningTokens: (before?.reasoningTokens ?? 0) + tokens.reasoning,
        cachedInputTokens: (before?.cachedInputTokens ?? 0) + tokens.cacheRead,
        cacheWriteInputTokens: (before?.cacheWriteInputTokens ?? 0) + tokens.cacheWrite,
      })
    },
    list: () => [...counts.values()],
  }
}
