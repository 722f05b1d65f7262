import { isInputRequiredResult, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import { supportsForms, INPUT_REQUIRED_OPTIONS } from '@troupe/meta-mcp'
import { isJsonObject } from '@troupe/schema'
import { agentTool, agentToolName } from './agent-tool.ts'
import { answerAgentCall, type AgentCallServices } from './answer-agent-call.ts'

/**
 * Creates an MCP server for one connection, with every served agent as a tool. It supports both protocol
 * eras.
 */
export function createAgentServer(services: AgentCallServices): Server {
  const { runner } = services.context
  const [entry] = runner.agents()
  const server = new Server(
    { name: entry?.name ?? 'troupe', version: entry?.version ?? '0.0.0' },
    {
      capabilities: { tools: {} },
      ...(entry?.description === undefined ? {} : { instructions: entry.description }),
      inputRequired: INPUT_REQUIRED_OPTIONS,
    },
  )
  server.setRequestHandler('tools/list', () => ({ tools: runner.agents().map(agentTool) }))
  server.setRequestHandler('tools/call', async ({ params }, mcp) => {
    const agent = runner.agents().find((one) => agentToolName(one) === params.name)
    if (agent === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`)
    const args = isJsonObject(params.arguments) ? params.arguments : {}
    const result = await answerAgentCall(
      { agent, args, mcp, hasPerson: supportsForms(server, mcp) },
      services,
    )
    return isInputRequiredResult(result) ? result : server.projectCallToolResult(result, undefined)
  })
  return server
}
