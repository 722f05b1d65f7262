import type { AgentDefinition } from '@troupe/schema'
import pLimit from 'p-limit'

/** Agents that are checked at once when nothing else is said. */
const CONCURRENCY = 4

/**
 * Checks every agent at startup, at most `concurrency` at once (default 4), and gives all problems in the order of the agents
 * (C6, C19, C80). Rejects only when a check itself throws.
 */
export async function preloadAgents<Problem>(
  definitions: readonly AgentDefinition[],
  check: (definition: AgentDefinition) => Promise<readonly Problem[]>,
  options: { readonly concurrency?: number } = {},
): Promise<readonly Problem[]> {
  const limit = pLimit(options.concurrency ?? CONCURRENCY)
  const found = await Promise.all(definitions.map((definition) => limit(() => check(definition))))
  return found.flat()
}
