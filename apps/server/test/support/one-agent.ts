import { defineAgent } from '@troupe/schema'
import { scriptedModel, type ScriptStep } from '@troupe/testkit'
import type { TeamToServe } from './serve-team.ts'

/** One agent, whose model answers by what it is told: a line for each message, `role: words`. */
export function oneAgent(
  answer: (words: readonly string[]) => ScriptStep,
): Pick<TeamToServe, 'cards' | 'models'> {
  const agent = defineAgent({
    name: 'One',
    description: 'Does one thing.',
    instruction: 'Do it.',
    model: 'test/one',
  })
  const model = scriptedModel((prompt) =>
    answer(
      prompt.map(({ role, content }) => {
        if (typeof content === 'string') return `${role}: ${content}`
        return `${role}: ${content.map((part) => (part.type === 'text' ? part.text : part.type)).join(' ')}`
      }),
    ),
  )
  return { cards: [agent], models: { one: model } }
}
