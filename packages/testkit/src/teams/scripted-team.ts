import { defineAgent, type AgentDefinition, type LanguageModel } from '@troupe/schema'
import { scriptedModel, type Script } from '../model/scripted-model.ts'

/** Agents with the models they use. */
export interface ScriptedTeam {
  readonly cards: readonly AgentDefinition[]
  /** Models by the name after `test/`. */
  readonly models: Readonly<Record<string, LanguageModel>>
}

/** Returns the models by full model id, as a host expects them. */
export function toModelIds(models: ScriptedTeam['models']): Readonly<Record<string, LanguageModel>> {
  return Object.fromEntries(Object.entries(models).map(([name, model]) => [`test/${name}`, model]))
}

/** Creates a team of one agent, `One`, with a scripted model. */
export function oneAgent(script: Script): ScriptedTeam {
  const agent = defineAgent({
    name: 'One',
    description: 'Does one thing.',
    instruction: 'Do it.',
    model: 'test/one',
  })
  return { cards: [agent], models: { one: scriptedModel(script) } }
}

/**
 * Creates a lead that calls its clerk with all tasks at once and finally answers `There are 3.` in three
 * chunks. `clerkScript` is the script of the clerk.
 */
export function leadAndClerks(
  clerkScript: Script,
  {
    tasks = ['apples', 'pears'],
    says = 'I ask.',
  }: {
    readonly tasks?: readonly string[]
    /** Text before the calls; empty for no text. */
    readonly says?: string
  } = {},
): ScriptedTeam {
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
  const calls = tasks.map((text) => ({ tool: 'agent__Clerk', args: { text } }))
  return {
    cards: [lead, clerk],
    models: {
      clerk: scriptedModel(clerkScript),
      lead: scriptedModel((prompt) =>
        prompt.at(-1)?.role === 'tool'
          ? { text: ['There ', 'are ', '3.'] }
          : { ...(says === '' ? {} : { text: says }), calls },
      ),
    },
  }
}
