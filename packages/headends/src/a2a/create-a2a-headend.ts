import { failure, type AgentDefinition, type Failure } from '@troupe/schema'
import { createSafeFetch } from '@troupe/fetch'
import { z } from 'zod'
import { servedAgent } from '../client-runs/run-for-caller.ts'
import { isFailure } from '../headend/errors.ts'
import {
  type HandlerContext,
  type Handler,
  type Headend,
  type HeadendContext,
  type ExampleOptions,
  postCommand,
} from '../headend/headend.ts'
import { jsonAnswer, routes } from '../routes/routes.ts'
import { a2aError } from './a2a-error.ts'
import { cardResponse, type A2AVersion } from './agent-card.ts'
import { createPushNotifier } from './push-notifier.ts'
import { createPushSigner } from './push-signer.ts'
import { answerRest, restOperations } from './rest-binding.ts'
import { answerRpc } from './rpc-binding.ts'
import { createTaskHandler, type TaskRequest } from './task-handler.ts'
import { createTaskStore } from './task-store.ts'

const CARD = '/.well-known/agent-card.json'

/** Path of the public keys of push notifications. */
const KEYS = '/.well-known/jwks.json'

/** Returns true for the paths of agent cards and public keys, which need no token. */
export function isOpenA2APath(path: string): boolean {
  return path === KEYS || /^(?:\/a2a\/[^/]+)?\/\.well-known\/agent-card\.json$/u.test(path)
}

/** Options of the headend. */
export interface A2AOptions {
  /** Served protocol versions. Default: all. */
  readonly versions?: readonly A2AVersion[]
  /**
   * Hosts, with or without a port, that may receive push notifications over http and in a private network, such as
   * `127.0.0.1:9000`. Default: none, only public https URLs receive them.
   */
  readonly pushHosts?: readonly string[]
  /**
   * Private P-256 key in PEM that signs push notifications. Default: a new one, which other servers do not know.
   */
  readonly signingKey?: string
}

const rpcId = z.union([z.string(), z.number(), z.null()])
const rpcRequest = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: rpcId.optional(),
  method: z
    .string()
    .meta({ description: 'A method of A2A 1.0, such as `SendMessage`, or of 0.3, such as `message/send`.' }),
  params: z.record(z.string(), z.unknown()).optional(),
})
const error = z.looseObject({ code: z.number(), message: z.string() })
const rpcAnswer = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: rpcId.optional(),
  result: z.unknown().optional(),
  error: error.optional(),
})
const errorAnswer = z.looseObject({ jsonrpc: z.literal('2.0'), error }).meta({ id: 'A2AError' })
const restErrorAnswer = z
  .object({
    error: z.object({
      code: z.number(),
      status: z.string(),
      message: z.string(),
      details: z.array(z.looseObject({})),
    }),
  })
  .meta({ id: 'A2ARestError' })
const agentCard = z
  .looseObject({ name: z.string(), description: z.string(), skills: z.array(z.looseObject({})) })
  .meta({ id: 'AgentCard' })
const keySet = z.object({ keys: z.array(z.looseObject({ kid: z.string(), kty: z.string() })) })
/** Description of the requests for cards. */
const CARD_ROUTE = {
  answers: { 200: { description: 'The agent card', content: { 'application/json': agentCard } } },
  errors: [404],
}

/**
 * Creates the headend for A2A 1.0, and for 0.3 if a client names no version. A task is a run, and a context
 * is a conversation. Throws `config_invalid` for a signing key that is not usable.
 */
export function createA2AHeadend(
  context: HeadendContext,
  { versions = ['1.0', '0.3'], pushHosts = [], signingKey }: A2AOptions = {},
): Headend {
  const taskStore = createTaskStore()
  const signer = createPushSigner(signingKey, context.clock)
  const fetch = createSafeFetch({ clock: context.clock })
  const push = createPushNotifier({ ...context, fetch, signer, hosts: pushHosts })
  const services = { taskStore, push, versions, context }
  const forAgent =
    (
      answer: (call: HandlerContext, task: TaskRequest) => Promise<Response>,
      toUnknown = (reason: Failure): Failure => reason,
    ): Handler =>
    (call) => {
      const agent = servedAgent(context.runner, call.req.param('agent'))
      return isFailure(agent)
        ? a2aError(toUnknown(agent), {}, call.req.path)
        : answer(call, taskRequest(agent, call, context))
    }
  const card = forAgent(
    (call, task) => cardResponse(call.req.raw, createTaskHandler(task, services)),
    // Without a token, the names of the served agents are not shown.
    ({ code }) => failure(code, 'No such agent is served.'),
  )
  const rest = forAgent((call, task) => answerRest(call, task, services))
  const { app, operations = [] } = routes(
    {
      [CARD]: {
        GET: {
          id: 'readEntryCard',
          summary: 'Get the agent card of the entry agent',
          ...CARD_ROUTE,
          handler: card,
        },
      },
      [`/a2a/:agent${CARD}`]: {
        GET: {
          id: 'readAgentCard',
          summary: 'Get the agent card of an agent',
          ...CARD_ROUTE,
          handler: card,
        },
      },
      '/a2a/:agent': {
        POST: {
          id: 'callA2a',
          summary: 'Send a JSON-RPC request to an agent',
          body: rpcRequest,
          answers: {
            200: {
              description:
                'The response, which may be a JSON-RPC error; a stream of responses if the method streams',
              content: { 'application/json': rpcAnswer, 'text/event-stream': 'text' },
            },
          },
          errors: [404],
          handler: forAgent((call, task) => answerRpc(call.req.raw, task, services)),
        },
      },
      [KEYS]: {
        GET: {
          id: 'readPushKeys',
          summary: 'Get the public keys that sign push notifications of A2A',
          answers: { 200: jsonAnswer('The keys', keySet) },
          handler: async () =>
            Response.json(await signer.keys(), { headers: { 'cache-control': 'public, max-age=300' } }),
        },
      },
      '/a2a/:agent/*': { GET: rest, POST: rest, DELETE: rest },
    },
    { tag: 'A2A', error: errorAnswer, ...context, toError: a2aError },
  )
  return {
    name: 'a2a',
    toError: a2aError,
    app,
    operations: [...operations, ...restOperations(restErrorAnswer)],
    examples: a2aExamples,
    drain: taskStore.drain,
    async close() {
      await taskStore.close()
      await push.close()
    },
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
