import { createMetaMcp, type MetaMcp, type MetaMcpHandler, createMetaMcpHandler } from '@troupe/meta-mcp'
import { toFailure, type AgentDefinition, type AgentRunner, type Failure } from '@troupe/schema'
import { z } from 'zod'
import { servedAgent } from '../client-runs/run-for-caller.ts'
import type { EventFeeds } from '../feeds/event-feeds.ts'
import { errorResponse, isFailure } from '../headend/errors.ts'
import {
  type HandlerContext,
  type Handler,
  type Caller,
  type Headend,
  type HeadendContext,
  type HeadendExample,
  type ExampleOptions,
  shellQuote,
} from '../headend/headend.ts'
import { routes } from '../routes/routes.ts'
import { createChannelTransport } from './channel-transport.ts'
import { createAgentMcp, type CallerRuns } from './create-agent-mcp.ts'
import { metadataHandlers, type McpAuthorization } from './resource-server.ts'
import { createRunResources } from './run-resources.ts'
import { createSseSessions } from './sse-sessions.ts'
import { createTaskNotifications, type TaskNotifications } from './task-notifications.ts'

/** Options of `createMcpHeadend`. */
export interface McpHeadendOptions {
  /** Authorization server for clients. */
  readonly authorization?: McpAuthorization | undefined
  /** Runs of callers. Without them there are neither resources nor tasks. */
  readonly runs?: CallerRuns
  /** Events of the runs. Without them clients cannot listen to tasks. */
  readonly feeds?: Pick<EventFeeds, 'follow'>
}

/**
 * Creates the MCP headend. `/mcp` has every agent as a tool over Streamable HTTP in both protocol eras,
 * `/mcp/sse` and `/mcp/ws` do the same for clients that support only these transports, and
 * `/mcp/agents/:agent` has the tools that one agent exports. With an authorization server, its metadata tells
 * clients where to log in.
 */
export function createMcpHeadend(
  context: HeadendContext,
  { authorization, runs, feeds }: McpHeadendOptions = {},
): Headend {
  const handlers = createMcpHandlers(context)
  const agents = createAgentMcp(context, runs)
  const notifications =
    runs === undefined || feeds === undefined
      ? undefined
      : createTaskNotifications({ ...context, runs, feeds })
  const allAgents = transportHandlers(
    ({ caller }) =>
      handlers.getOrCreate(`all\n${caller.principal}`, () => ({
        createServer: () => agents.createServer(caller),
      })),
    notifications,
  )
  const sse = createSseSessions(context, { path: '/mcp/sse', createServer: agents.createServer })
  const singleAgent = transportHandlers(({ caller }, { req }) => {
    const agent = servedAgent(context.runner, req.param('agent'))
    if (isFailure(agent)) return agent
    return handlers.getOrCreate(`one\n${caller.principal}\n${agent.digest}`, () =>
      openMeta(agent, caller, { ...context, ...(runs === undefined ? {} : { runs }) }),
    )
  })
  return {
    name: 'mcp',
    ...routes(
      {
        '/mcp': {
          ...allAgents,
          POST: { id: 'mcp', summary: 'Call agents as MCP tools', ...MESSAGE_ROUTE, handler: allAgents.POST },
        },
        '/mcp/agents/:agent': {
          ...singleAgent,
          POST: {
            id: 'mcpOfAgent',
            summary: 'Call the MCP tools that an agent exports',
            ...MESSAGE_ROUTE,
            handler: singleAgent.POST,
          },
        },
        '/mcp/sse': {
          GET: ({ env }) => sse.open(env.caller),
          POST: ({ req, env }) => sse.receive(req.raw, env.caller),
        },
        ...(authorization === undefined ? {} : metadataHandlers(authorization, context)),
      },
      { tag: 'MCP', error: z.looseObject({}), ...context },
    ),
    socket: {
      path: '/mcp/ws',
      protocol: 'mcp',
      open(channel, caller) {
        const { transport, accept, end } = createChannelTransport(channel)
        agents
          .createServer(caller)
          .connect(transport)
          .catch((thrown: unknown) => context.onError?.(thrown))
        return {
          receive(text) {
            const refusal = accept(text)
            if (refusal !== undefined) channel.send(JSON.stringify(refusal))
          },
          end,
        }
      },
    },
    examples: mcpExample,
    drain: agents.close,
    async close() {
      agents.close()
      notifications?.close()
      await Promise.all([handlers.close(), sse.close()])
    },
  }
}

const message = z.looseObject({ jsonrpc: z.literal('2.0') })

/** Description of the requests with messages, which the MCP specification describes. */
const MESSAGE_ROUTE = {
  body: message,
  answers: {
    200: {
      description: 'A message, or a stream of messages',
      content: { 'application/json': message, 'text/event-stream': 'text' },
    },
    202: { description: 'Accepted; the message needs no response' },
  },
  errors: [404, 406],
} as const

/**
 * Creates the three methods of the transport. `find` returns the MCP handler for a request. With `notifications`,
 * clients can listen to tasks.
 */
function transportHandlers(
  find: (env: HandlerContext['env'], call: HandlerContext) => MetaMcpHandler | Failure,
  notifications?: TaskNotifications,
): Readonly<Record<'GET' | 'POST' | 'DELETE', Handler>> {
  const answer: Handler = async (call) => {
    const handler = find(call.env, call)
    if (isFailure(handler)) return errorResponse(handler)
    const { raw } = call.req
    return (await notifications?.answer(raw, call.env.caller, handler.fetch)) ?? handler.fetch(raw)
  }
  return { GET: answer, POST: answer, DELETE: answer }
}

/**
 * Creates MCP servers with the tools that an agent exports, for one principal. Returns a failure if it
 * exports none.
 */
function openMeta(
  agent: AgentDefinition,
  { principal }: Caller,
  { runner, newId, clock, runs }: HeadendContext & Pick<McpHeadendOptions, 'runs'>,
): MetaMcp | Failure {
  const own: Pick<AgentRunner, 'run'> = {
    run: (name, input, options) => runner.run(name, input, { ...options, principal }),
  }
  try {
    return createMetaMcp({
      agent,
      runner: own,
      clock,
      newContextId: () => newId('context'),
      ...(runs === undefined
        ? {}
        : { resources: () => createRunResources(runs, { principal, agent: agent.name }) }),
    })
  } catch (thrown) {
    return toFailure(thrown)
  }
}

const VERSION = '2026-07-28'

/** Returns an example that lists the tools with the newest protocol version. */
function mcpExample({ origin, credentials }: ExampleOptions): readonly HeadendExample[] {
  const url = `${origin}/mcp`
  const headers = [
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    `MCP-Protocol-Version: ${VERSION}`,
    'Mcp-Method: tools/list',
  ]
  const flags = headers.map((header) => `-H ${shellQuote(header)}`).join(' ')
  const meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientInfo': { name: 'curl', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } }
  const command = `curl -s ${credentials}${flags} -d ${shellQuote(JSON.stringify(body))} ${shellQuote(url)}`
  return [{ title: 'MCP', url, command }]
}

/** MCP handlers, one per principal and set of tools, because each has its own client sessions. */
interface McpHandlers {
  /** Returns the handler of a key and creates it if needed. Returns a failure if it cannot be created. */
  getOrCreate(key: string, make: () => Pick<MetaMcp, 'createServer'> | Failure): MetaMcpHandler | Failure
  close(): Promise<void>
}

/** Maximum number of open handlers. The least recently used one is closed first. */
const MAX_HANDLERS = 256

/**
 * Beginning of the SDK's message for an invalid client request. It is not an error of the server and is not
 * logged.
 */
const REFUSAL = 'Rejected inbound request'

/** Creates an empty set of handlers. */
function createMcpHandlers({ newId, onError }: Pick<HeadendContext, 'newId' | 'onError'>): McpHandlers {
  // In the order of their last use.
  const open = new Map<string, MetaMcpHandler>()
  const reportError = (thrown: unknown): void => onError?.(thrown)
  const reportServerError = (thrown: Error): void => {
    if (!thrown.message.startsWith(REFUSAL)) reportError(thrown)
  }
  const touch = (key: string, handler: MetaMcpHandler): MetaMcpHandler => {
    open.delete(key)
    open.set(key, handler)
    const [oldest] = open
    if (open.size > MAX_HANDLERS && oldest !== undefined) {
      open.delete(oldest[0])
      oldest[1].close().catch(reportError)
    }
    return handler
  }
  return {
    getOrCreate(key, make) {
      const known = open.get(key)
      if (known !== undefined) return touch(key, known)
      const servers = make()
      if (isFailure(servers)) return servers
      const newSessionId = (): string => newId('mcp')
      return touch(
        key,
        createMetaMcpHandler(servers, { newSessionId, allowedHosts: 'any', onError: reportServerError }),
      )
    },
    async close() {
      const all = [...open.values()]
      open.clear()
      await Promise.all(all.map((handler) => handler.close()))
    },
  }
}
