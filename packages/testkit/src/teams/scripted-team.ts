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
