import type { AgentDefinition } from '@troupe/schema'
import pLimit from 'p-limit'

/** Default number of concurrent checks. */
const CONCURRENCY = 4

/**
 * Checks every agent at startup, `concurrency` at a time (default 4), and returns all problems in the order
 * of the agents. Rejects only if a check throws.
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
