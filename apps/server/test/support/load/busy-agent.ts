import { defineAgent, defineTool, type AgentDefinition, type LanguageModel } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'

const TURNS_PER_SECOND = 10

/** Returns an agent that runs for some seconds: ten turns a second, each with 20 pieces of text and a call. */
export function busyAgent(seconds: number): {
  readonly agent: AgentDefinition
  readonly model: LanguageModel
} {
  const rest = defineTool({
    name: 'rest',
    description: 'Rests.',
    effect: 'read',
    execute: async () => {
      await new Promise((resolve) => setTimeout(resolve, 1000 / TURNS_PER_SECOND))
      return 'x'.repeat(2000)
    },
  })
  const agent = defineAgent({
    name: 'Busy',
    description: 'Is at work.',
    instruction: 'Be at work.',
    model: 'test/busy',
    functionTools: [rest],
    limits: { maxTurns: 10_000 },
  })
  const pieces = Array.from({ length: 20 }, (_, index) => `piece ${index} ${'y'.repeat(200)} `)
  // a turn adds two messages
  const model = scriptedModel((prompt) =>
    prompt.length > seconds * TURNS_PER_SECOND * 2
      ? { text: 'done' }
      : { text: pieces, calls: [{ tool: 'rest' }] },
  )
  return { agent, model }
}
