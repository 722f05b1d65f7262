import type { AgentDefinition } from '@troupe/schema'
import type { Headend, HeadendContext } from '../headend.ts'
import { isFailure } from '../is-failure.ts'
import { readJson } from '../read-json.ts'
import { routes, type Handler } from '../routes.ts'
import { postCommand } from '../shell-quote.ts'
import { servedAgent } from '../served-agent.ts'
import { anthropicError } from './anthropic-error.ts'
import { answerMessages } from './answer-messages.ts'
import { countRequest, wordsOf } from './messages-request.ts'
import { anthropicOperations } from './anthropic-operations.ts'

/** Anthropic's API with agents as models (C78): messages, whole and streamed. What agents do with their tools stays inside. */
export function createAnthropicHeadend(context: HeadendContext): Headend {
  return {
    name: 'anthropic',
    toError: anthropicError,
    ...routes(
      {
        '/anthropic/v1/models': { GET: () => Response.json(modelList(context.runner.agents())) },
        '/anthropic/v1/models/:model': { GET: modelHandler(context) },
        '/anthropic/v1/messages': { POST: answerMessages(context) },
        '/anthropic/v1/messages/count_tokens': { POST: countHandler(context) },
      },
      { ...context, toError: anthropicError },
    ),
    operations: anthropicOperations,
    examples: ({ origin, agent, message, credentials }) => {
      const url = `${origin}/anthropic`
      const body = { model: agent, max_tokens: 1024, messages: [{ role: 'user', content: message }] }
      return [{ title: 'Anthropic', url, command: postCommand(`${url}/v1/messages`, body, { credentials }) }]
    },
  }
}

function modelList(agents: readonly AgentDefinition[]): Readonly<Record<string, unknown>> {
  const data = agents.map(toModel)
  return { data, has_more: false, first_id: agents[0]?.name ?? null, last_id: agents.at(-1)?.name ?? null }
}

function toModel({ name }: AgentDefinition): Readonly<Record<string, unknown>> {
  return { type: 'model', id: name, display_name: name, created_at: '1970-01-01T00:00:00Z' }
}

function modelHandler({ runner }: HeadendContext): Handler {
  return ({ req }) => {
    const agent = servedAgent(runner, req.param('model'))
    return isFailure(agent) ? anthropicError(agent) : Response.json(toModel(agent))
  }
}

/** Four bytes a token: an estimate, as only its model knows how an agent counts. */
const BYTES_A_TOKEN = 4

function countHandler({ runner }: HeadendContext): Handler {
  return async ({ req }) => {
    const read = await readJson(req.raw, countRequest)
    if (!read.ok) return anthropicError(read.reason)
    const agent = servedAgent(runner, read.value.model)
    if (isFailure(agent)) return anthropicError(agent)
    const bytes = new TextEncoder().encode(`${agent.instruction}\n${wordsOf(read.value)}`).length
    return Response.json({ input_tokens: Math.ceil(bytes / BYTES_A_TOKEN) })
  }
}
