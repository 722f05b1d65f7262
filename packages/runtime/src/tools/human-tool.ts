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
    'Asks the user a question and waits for the answer. Use it for what only the user knows or may decide. Ask one question at a time.',
  inputSchema: {
    type: 'object',
    properties: {
      question: { type: 'string', minLength: 1, maxLength: 4000 },
      choices: {
        type: 'array',
        items: { type: 'string', minLength: 1, maxLength: 200 },
        minItems: 2,
        maxItems: MAX_CHOICES,
        description: 'The answers to choose from. Without choices, the user can answer with any text.',
      },
    },
    required: ['question'],
    additionalProperties: false,
  },
  effect: 'idempotent',
  execute: ask,
})

async function ask({ question, choices }: JsonObject, context: ToolContext): Promise<unknown> {
  context.progress('waiting for an answer from the user')
  const answer = await context.ask({
    question: question as string,
    ...(choices === undefined ? {} : { choices: choices as readonly string[] }),
  })
  if (answer.answered) return answer.text
  return toolResult.error('human_unavailable', `The question was not answered: ${answer.reason}.`)
}
