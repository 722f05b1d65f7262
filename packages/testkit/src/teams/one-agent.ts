import { defineAgent } from '@troupe/schema'
import { scriptedModel, type Script } from '../scripted-model.ts'
import type { ScriptedTeam } from './scripted-team.ts'

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
