import { defineAgent, defineTool, type AgentDefinition, type LanguageModel } from '@troupe/schema'
import { scriptedModel, type Script } from '@troupe/testkit'

interface Team {
  readonly cards: readonly AgentDefinition[]
  readonly models: Readonly<Record<string, LanguageModel>>
}

/** One agent with a model that answers from a script. */
export function oneAgent(script: Script): Team {
  const agent = defineAgent({
    name: 'One',
    description: 'Does one thing.',
    instruction: 'Do it.',
    model: 'test/one',
  })
  return { cards: [agent], models: { one: scriptedModel(script) } }
}

/** A lead that asks its clerk twice at once, and the script of the clerk. */
export function leadAndClerks(clerkScript: Script): Team {
  const clerk = defineAgent({
    name: 'Clerk',
    description: 'Counts.',
    instruction: 'Count.',
    model: 'test/clerk',
  })
  const lead = defineAgent({
    name: 'Lead',
    description: 'Leads.',
    instruction: 'Lead.',
    model: 'test/lead',
    default: true,
    agents: [clerk],
  })
  const calls = ['apples', 'pears'].map((text) => ({ tool: 'agent__Clerk', args: { text } }))
  return {
    cards: [lead, clerk],
    models: {
      clerk: scriptedModel(clerkScript),
      lead: scriptedModel((prompt) =>
        prompt.at(-1)?.role === 'tool' ? { text: ['There ', 'are ', '3.'] } : { text: 'I ask.', calls },
      ),
    },
  }
}

/** An agent with a tool that asks, and says in the end what came of it. */
export function careful(): Team {
  const remove = defineTool({
    name: 'remove',
    description: 'Removes a file.',
    input: { type: 'object', properties: { file: { type: 'string' } }, required: ['file'] },
    execute: () => 'removed',
    requiresApproval: true,
  })
  const agent = defineAgent({
    name: 'Careful',
    description: 'Removes files.',
    instruction: 'Remove.',
    model: 'test/careful',
    functionTools: [remove],
  })
  const model = scriptedModel((prompt) => {
    const last = prompt.at(-1)
    return last?.role === 'tool'
      ? { text: JSON.stringify(last.content).includes('removed') ? 'It is gone.' : 'It is still there.' }
      : { calls: [{ tool: 'remove', args: { file: '<!channel>.txt' } }] }
  })
  return { cards: [agent], models: { careful: model } }
}
