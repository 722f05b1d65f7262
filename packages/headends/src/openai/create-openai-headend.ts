import { toFailure, type AgentDefinition } from '@troupe/schema'
import { servedAgent } from '../client-runs/run-for-caller.ts'
import { isFailure } from '../headend/errors.ts'
import type { Handler, Headend, HeadendContext } from '../headend/headend.ts'
import { routes } from '../headend/routes.ts'
import { postCommand } from '../headend/shell-quote.ts'
import type { RunService } from '../run-service/run-service.ts'
import { answerResponses } from './answer-responses.ts'
import { answerChatCompletion } from './chat-completion.ts'
import { openAIError } from './openai-error.ts'
import { openAIOperations } from './openai-operations.ts'
import { storedResponse } from './stored-response.ts'

/**
 * Creates the headend for the OpenAI API with agents as models. Chat completions and responses are sent whole
 * or streamed; clients do not see the tool calls of agents.
 */
export function createOpenAIHeadend(
  context: HeadendContext,
  runService: Pick<RunService, 'view' | 'note'>,
): Headend {
  return {
    name: 'openai',
    toError: openAIError,
    ...routes(
      {
        '/openai/v1/models': {
          GET: () => Response.json({ object: 'list', data: context.runner.agents().map(openAIModel) }),
        },
        '/openai/v1/models/:model': { GET: modelHandler(context) },
        '/openai/v1/chat/completions': { POST: answerChatCompletion(context) },
        '/openai/v1/responses': { POST: answerResponses(context) },
        '/openai/v1/responses/:id': { GET: responseHandler(runService) },
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

function responseHandler(runService: Pick<RunService, 'view' | 'note'>): Handler {
  return async ({ req, env: { caller } }) => {
    try {
      const { principal } = caller
      return Response.json(await storedResponse(req.param('id') ?? '', { principal, runService }))
    } catch (thrown) {
      return openAIError(toFailure(thrown))
    }
  }
}

function modelHandler({ runner }: HeadendContext): Handler {
  return ({ req }) => {
    const agent = servedAgent(runner, req.param('model'))
    return isFailure(agent) ? openAIError(agent) : Response.json(openAIModel(agent))
  }
}

/** Returns an agent as an OpenAI model. */
export function openAIModel({ name }: Pick<AgentDefinition, 'name'>): Readonly<Record<string, unknown>> {
  return { id: name, object: 'model', created: 0, owned_by: 'troupe' }
}
