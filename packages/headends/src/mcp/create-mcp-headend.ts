import { createMetaMcp, type MetaMcp, type MetaMcpHandler } from '@troupe/meta-mcp'
import { toFailure, type AgentDefinition, type AgentRunner, type Failure } from '@troupe/schema'
import { createValidator } from '@troupe/tools'
import { errorResponse } from '../error-response.ts'
import type { Caller, Headend, HeadendContext } from '../headend.ts'
import { isFailure } from '../is-failure.ts'
import { routes, type CallContext, type Handler } from '../routes.ts'
import { servedAgent } from '../served-agent.ts'
import { createAgentServer } from './create-agent-server.ts'
import { mcpExample } from './mcp-example.ts'
import { createMcpHandlers } from './mcp-handlers.ts'

/** MCP over Streamable HTTP, in both eras: `/mcp` has every agent as a tool, `/mcp/agents/:agent` the tools that one agent offers itself. */
export function createMcpHeadend(context: HeadendContext): Headend {
  const handlers = createMcpHandlers(context)
  const validate = createValidator()
  const all = answering(({ caller }) =>
    handlers.of(`all\n${caller.principal}`, () => ({
      createServer: () => createAgentServer({ context, caller, validate }),
    })),
  )
  const one = answering(({ caller }, { req }) => {
    const agent = servedAgent(context.runner, req.param('agent'))
    if (isFailure(agent)) return agent
    return handlers.of(`one\n${caller.principal}\n${agent.digest}`, () => openMeta(agent, caller, context))
  })
  return {
    name: 'mcp',
    ...routes({ '/mcp': all, '/mcp/agents/:agent': one }, context),
    examples: mcpExample,
    close: handlers.close,
  }
}

/** The three methods of the transport, answered by the handler found for the caller. */
function answering(
  find: (env: CallContext['env'], call: CallContext) => MetaMcpHandler | Failure,
): Readonly<Record<'GET' | 'POST' | 'DELETE', Handler>> {
  const answer: Handler = (call) => {
    const handler = find(call.env, call)
    return isFailure(handler) ? errorResponse(handler) : handler.fetch(call.req.raw)
  }
  return { GET: answer, POST: answer, DELETE: answer }
}

/** The tools of an agent for one principal; a failure where it offers none. */
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
