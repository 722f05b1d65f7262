import type { AgentDefinition } from '@troupe/schema'

/** Returns a hint for the system prompt of an agent with children, based on its limits. */
export function plannerHint({ limits }: Pick<AgentDefinition, 'limits'>): string {
  const { maxParallel, parallelToolCalls } = limits
  if (!parallelToolCalls || maxParallel === 1)
    return 'Call one agent at a time, and only agents that the task needs.'
  return `Call at most ${maxParallel} agents at once, and only agents that the task needs.`
}
