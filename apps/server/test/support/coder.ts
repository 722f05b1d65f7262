import { defineAgent, defineTool, type AgentDefinition, type AgentFields } from '@troupe/schema'
import { scriptedModel, type ScriptedModel, type ScriptedStep } from '@troupe/testkit'
import { z } from 'zod'
import type { TeamToServe } from './serve-team.ts'

/** A team whose agent `Coder` calls tools of its client. */
export interface CoderTeam extends TeamToServe {
  readonly model: ScriptedModel
  /** Texts that its own tool `note` was called with. */
  readonly notes: readonly string[]
}

/** Creates the team. `steps` are the answers of the model; the last one repeats the results it got. */
export function coder(
  steps: readonly ScriptedStep[],
  fields: Partial<Omit<AgentFields, 'name' | 'instruction'>> = {},
): CoderTeam {
  const notes: string[] = []
  const note = defineTool({
    name: 'note',
    description: 'Notes a text.',
    input: z.object({ text: z.string() }),
    effect: 'read',
    execute({ text }) {
      notes.push(text)
      return `noted ${text}`
    },
  })
  const agent: AgentDefinition = defineAgent({
    name: 'Coder',
    description: 'Codes.',
    instruction: 'Code.',
    model: 'test/coder',
    functionTools: [note],
    ...fields,
  })
  const model = scriptedModel(
    (prompt, { index }) => steps[index] ?? { text: JSON.stringify(resultsOf(prompt)) },
  )
  return { cards: [agent], models: { coder: model }, model, notes }
}

type Prompt = ScriptedModel['calls'][number]['prompt']

/** Returns the results in the last messages of a prompt, and the texts after them. */
export function resultsOf(prompt: Prompt): readonly unknown[] {
  const last = prompt.findLastIndex(({ role }) => role === 'assistant')
  return prompt.slice(last + 1).flatMap((message): readonly unknown[] => {
    if (typeof message.content === 'string') return [message.content]
    return message.content.map((part) => {
      if (part.type === 'tool-result') return 'value' in part.output ? part.output.value : part.output.type
      return part.type === 'text' ? part.text : part.type
    })
  })
}
