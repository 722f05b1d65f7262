import type { AgentDefinition } from '@troupe/schema'
import { servedAgent } from '../client-runs/run-for-caller.ts'
import { isFailure } from '../headend/errors.ts'
import type { HandlerContext, Handler, Headend, HeadendContext, ExampleOptions } from '../headend/headend.ts'
import { routes } from '../headend/routes.ts'
import { postCommand } from '../headend/shell-quote.ts'
import { a2aError } from './a2a-error.ts'
import { a2aOperations } from './a2a-operations.ts'
import { cardResponse } from './agent-card.ts'
import { answerRpc } from './answer-rpc.ts'
import { createTaskHandler, type TaskRequest } from './task-handler.ts'
import { createTaskStore } from './task-store.ts'

const CARD = '/.well-known/agent-card.json'

/**
 * Creates the headend for A2A 1.0, and for 0.3 if a client names no version. A task is a run, and a context
 * is a conversation.
 */
export function createA2AHeadend(context: HeadendContext): Headend {
  const taskStore = createTaskStore()
  const services = { taskStore: taskStore, context }
  const answering =
    (answer: (call: HandlerContext, task: TaskRequest) => Promise<Response>): Handler =>
    (call) => {
      const agent = servedAgent(context.runner, call.req.param('agent'))
      return isFailure(agent) ? a2aError(agent) : answer(call, taskRequest(agent, call, context))
    }
  const card = answering((call, task) => cardResponse(call.req.raw, createTaskHandler(task, services)))
  return {
    name: 'a2a',
    toError: a2aError,
    ...routes(
      {
        [CARD]: { GET: card },
        [`/a2a/:agent${CARD}`]: { GET: card },
        '/a2a/:agent': { POST: answering((call, task) => answerRpc(call.req.raw, task, services)) },
      },
      { ...context, toError: a2aError },
    ),
    operations: () => a2aOperations(CARD),
    examples: a2aExamples,
    drain: taskStore.drain,
    close: taskStore.close,
  }
}

function taskRequest(
  agent: AgentDefinition,
  { req, env }: HandlerContext,
  { publicUrl = new URL(req.url).origin }: Pick<HeadendContext, 'publicUrl'>,
): TaskRequest {
  return {
    agent,
    url: `${publicUrl}/a2a/${encodeURIComponent(agent.name)}`,
    caller: env.caller,
    signal: req.raw.signal,
  }
}

function a2aExamples({
  origin,
  agent,
  message,
  credentials,
}: ExampleOptions): ReturnType<NonNullable<Headend['examples']>> {
  const url = `${origin}/a2a/${encodeURIComponent(agent)}`
  const params = { message: { messageId: '1', role: 'ROLE_USER', parts: [{ text: message }] } }
  const body = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params }
  const version = `-H 'A2A-Version: 1.0' `
  return [{ title: 'A2A', url, command: postCommand(url, body, { credentials: `${credentials}${version}` }) }]
}
