import type { Framework } from './framework.ts'

/** Loads one framework, so that the others are not in the heap of the process. */
export async function loadFramework(name: string): Promise<Framework> {
  if (name === 'troupe') return (await import('./troupe.ts')).troupe
  if (name === 'ai') return (await import('./ai.ts')).ai
  if (name === 'openai-agents') return (await import('./openai-agents.ts')).openaiAgents
  if (name === 'langgraph') return (await import('./langgraph.ts')).langgraph
  throw new TypeError(`There is no framework "${name}".`)
}
