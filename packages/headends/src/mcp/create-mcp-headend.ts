import { createMetaMcp, type MetaMcp, type MetaMcpHandler } from '@troupe/meta-mcp'
import { toFailure, type AgentDefinition, type AgentRunner, type Failure } from '@troupe/schema'
import { errorResponse } from '../error-response.ts'
import type { HandlerContext, Handler } from '../handler.ts'
import type { Caller } from '../caller.ts'
import type { Headend, HeadendContext } from '../headend.ts'
import { isFailure } from '../is-failure.ts'
import { routes } from '../routes.ts'
import { servedAgent } from '../served-agent.ts'
import { createChannelTransport } from './channel-transport.ts'
import { createAgentMcp } from './create-agent-mcp.ts'
import { mcpExample } from './mcp-example.ts'
import { mcpOperations } from './mcp-operations.ts'
import { createMcpHandlers } from './mcp-handlers.ts'
import { createSseSessions } from './sse-sessions.ts'

/**
 * Creates the MCP headend. `/mcp` has every agent as a tool over Streamable HTTP in both protocol eras,
 * `/mcp/sse` and `/mcp/ws` do the same for clients that support only these transports, and
 * `/mcp/agents/:agent` has the tools that one agent exports.
 */
export function createMcpHeadend(context: HeadendContext): Headend {
  const handlers = createMcpHandlers(context)
  const agents = createAgentMcp(context)
  const all = answering(({ caller }) =>
    handlers.getOrCreate(`all\n${caller.principal}`, () => ({
      createServer: () => agents.createServer(caller),
    })),
  )
  const sse = createSseSessions(context, { path: '/mcp/sse', createServer: agents.createServer })
  const one = answering(({ caller }, { req }) => {
    const agent = servedAgent(context.runner, req.param('agent'))
    if (isFailure(agent)) return agent
    return handlers.getOrCreate(`one\n${caller.principal}\n${agent.digest}`, () =>
      openMeta(agent, caller, context),
    )
  })
  return {
    name: 'mcp',
    ...routes(
      {
        '/mcp': all,
        '/mcp/agents/:agent': one,
        '/mcp/sse': {
          GET: ({ env }) => sse.open(env.caller),
          POST: ({ req, env }) => sse.receive(req.raw, env.caller),
        },
      },
      context,
    ),
    socket: {
      path: '/mcp/ws',
      protocol: 'mcp',
      open(channel, caller) {
        const { transport, take, end } = createChannelTransport(channel)
        agents
          .createServer(caller)
          .connect(transport)
          .catch((thrown: unknown) => context.onError?.(thrown))
        return {
          receive(text) {
            const refused = take(text)
            if (refused !== undefined) channel.send(JSON.stringify(refused))
          },
          end,
        }
      },
    },
    operations: mcpOperations,
    examples: mcpExample,
    drain: agents.close,
    async close() {
      agents.close()
      await Promise.all([handlers.close(), sse.close()])
    },
  }
}

/** Creates the three methods of the transport. `find` returns the MCP handler for a request. */
function answering(
  find: (env: HandlerContext['env'], call: HandlerContext) => MetaMcpHandler | Failure,
): Readonly<Record<'GET' | 'POST' | 'DELETE', Handler>> {
  const answer: Handler = (call) => {
    const handler = find(call.env, call)
    return isFailure(handler) ? errorResponse(handler) : handler.fetch(call.req.raw)
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
  { runner, newId, clock }: HeadendContext,
): MetaMcp | Failure {
  const own: Pick<AgentRunner, 'run'> = {
    run: (name, input, options) => runner.run(name, input, { ...options, principal }),
  }
  try {
    return createMetaMcp({ agent, runner: own, clock, newContextId: () => newId('context') })
  } catch (thrown) {
    return toFailure(thrown)
  }
}
