import { toolResult, type JsonObject, type ToolContext, type ToolDefinition } from '@troupe/schema'
import { runtimeTool } from './runtime-tool.ts'

const MAX_CHOICES = 20

/**
 * Asks the user of the run a question. Fails with `human_unavailable` if there is no one to ask or no answer
 * in time.
 */
export const HUMAN_TOOL: ToolDefinition = runtimeTool({
  name: 'human.ask',
  description:
    'Asks the person you work for, and waits for the answer. For what only that person knows or may decide. One question at a time.',
  inputSchema: {
    type: 'object',
    properties: {
      question: { type: 'string', minLength: 1, maxLength: 4000 },
      choices: {
        type: 'array',
        items: { type: 'string', minLength: 1, maxLength: 200 },
        minItems: 2,
        maxItems: MAX_CHOICES,
        description: 'The answers to choose from; without them any text is an answer',
      },
    },
    required: ['question'],
    additionalProperties: false,
  },
  effect: 'idempotent',
  execute: ask,
})

async function ask({ question, choices }: JsonObject, context: ToolContext): Promise<unknown> {
  context.progress('waits for the answer of a person')
  const answer = await context.ask({
    question: question as string,
    ...(choices === undefined ? {} : { choices: choices as readonly string[] }),
  })
  if (answer.answered) return answer.text
  return toolResult.error('human_unavailable', `No person answered: ${answer.reason}.`)
}
