import {
  defineAgent,
  defineTool,
  type AgentDefinition,
  type AgentFields,
  type LanguageModel,
} from '@troupe/schema'
import { scriptedModel, type ScriptedStep } from '@troupe/testkit'

/** A lead and its clerks, and what their tools did. */
export interface Office {
  readonly cards: readonly AgentDefinition[]
  readonly models: Readonly<Record<string, LanguageModel>>
  readonly sent: string[]
}

/** Returns a model that answers with the steps of a script, by the number of earlier answers. */
function answering(steps: readonly ScriptedStep[]): LanguageModel {
  return scriptedModel(
    (prompt) => steps[prompt.filter(({ role }) => role === 'assistant').length] ?? { text: 'lost' },
  )
}

/** Creates a lead that calls `count` clerks at once. Each clerk sends something, which needs an approval. */
export function office(count: number, fields: AgentFields = {}): Office {
  const sent: string[] = []
  const send = defineTool({
    name: 'send',
    description: 'Sends.',
    input: { type: 'object', properties: { to: { type: 'string' } } },
    execute: ({ to }) => {
      sent.push(JSON.stringify(to))
      return 'sent'
    },
  })
  const clerk = defineAgent({
    name: 'Clerk',
    description: 'Sends.',
    instruction: 'Send.',
    model: 'test/clerk',
    functionTools: [send],
    requiresApproval: ['send'],
  })
  const lead = defineAgent({
    name: 'Lead',
    description: 'Leads.',
    instruction: 'Lead.',
    model: 'test/lead',
    agents: ['Clerk'],
    default: true,
    ...fields,
  })
  const calls = Array.from({ length: count }, (_, index) => ({
    tool: 'agent__Clerk',
    args: { text: `n${index}` },
  }))
  return {
    cards: [lead, clerk],
    models: {
      'test/lead': answering([{ calls }, { text: 'All sent.' }]),
      'test/clerk': answering([{ calls: [{ tool: 'send', args: { to: 'Ada' } }] }, { text: 'Sent.' }]),
    },
    sent,
  }
}
