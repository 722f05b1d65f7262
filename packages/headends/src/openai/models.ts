import type { AgentDefinition } from '@troupe/schema'

/** An agent as a model. */
export function openAIModel({ name }: Pick<AgentDefinition, 'name'>): Readonly<Record<string, unknown>> {
  return { id: name, object: 'model', created: 0, owned_by: 'troupe' }
}
