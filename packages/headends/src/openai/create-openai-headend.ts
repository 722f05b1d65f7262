import { failure } from '@troupe/schema'
import type { Headend, HeadendContext } from '../headend.ts'
import { isFailure } from '../is-failure.ts'
import { routes, type Handler } from '../routes.ts'
import { postCommand } from '../shell-quote.ts'
import { servedAgent } from '../served-agent.ts'
import { answerChat } from './answer-chat.ts'
import { answerResponses } from './answer-responses.ts'
import { openAIModel } from './models.ts'
import { openAIError } from './openai-error.ts'
import { openAIOperations } from './openai-operations.ts'

/** OpenAI's API with agents as models (C78): chat completions and responses, whole and streamed. What agents do with their tools stays inside. */
export function createOpenAIHeadend(context: HeadendContext): Headend {
  return {
    name: 'openai',
    toError: openAIError,
    ...routes(
      {
        '/openai/v1/models': {
          GET: () => Response.json({ object: 'list', data: context.runner.agents().map(openAIModel) }),
        },
        '/openai/v1/models/:model': { GET: modelHandler(context) },
        '/openai/v1/chat/completions': { POST: answerChat(context) },
        '/openai/v1/responses': { POST: answerResponses(context) },
        '/openai/v1/responses/:id': {
          GET: () =>
            openAIError(failure('run_unknown', 'Responses are not given out again.', 'See `/api/runs`.')),
        },
      },
      { ...context, toError: openAIError },
    ),
    operations: openAIOperations,
    examples: ({ origin, agent, message, credentials }) => {
      const url = `${origin}/openai/v1`
      const body = { model: agent, messages: [{ role: 'user', content: message }] }
      return [
        { title: 'OpenAI', url, command: postCommand(`${url}/chat/completions`, body, { credentials }) },
      ]
    },
  }
}

function modelHandler({ runner }: HeadendContext): Handler {
  return ({ req }) => {
    const agent = servedAgent(runner, req.param('model'))
    return isFailure(agent) ? openAIError(agent) : Response.json(openAIModel(agent))
  }
}
