import { createHost, type Host, type HostOptions } from '@troupe/host'
import { defineAgent, type AgentDefinition, type AgentFields, type LanguageModel } from '@troupe/schema'
import { onTestFinished } from 'vitest'

/** Opens a host until the test ends. */
export async function openHost(
  cards: readonly AgentDefinition[],
  models: Readonly<Record<string, LanguageModel>>,
  options: Partial<HostOptions> = {},
): Promise<Host> {
  const host = await createHost({ cards, models, config: false, cwd: import.meta.dirname, ...options })
  onTestFinished(() => host.close())
  return host
}

/** Defines an agent with the model `test/a`. */
export function agentA(fields: Partial<AgentFields> = {}): AgentDefinition {
  return defineAgent({
    name: 'A',
    description: 'Does it.',
    instruction: 'Do it.',
    model: 'test/a',
    ...fields,
  })
}
