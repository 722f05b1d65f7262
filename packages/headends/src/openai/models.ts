import type { AgentDefinition } from '@troupe/schema'

/** Returns an agent as an OpenAI model. */
export function openAIModel({ name }: Pick<AgentDefinition, 'name'>): Readonly<Record<string, unknown>> {
  return { id: name, object: 'model', created: 0, owned_by: 'troupe' }
}
