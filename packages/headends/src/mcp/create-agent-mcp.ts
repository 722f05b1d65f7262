import type { Server } from '@modelcontextprotocol/server'
import { createPendingCalls } from '@troupe/meta-mcp'
import { createValidator } from '@troupe/tools'
import type { Caller } from '../caller.ts'
import type { HeadendContext } from '../headend.ts'
import { createAgentServer } from './create-agent-server.ts'

/** The served agents as the tools of an MCP server, for any transport. */
export interface AgentMcp {
  /** Creates a server for one connection of a caller. It supports both protocol eras. */
  createServer(caller: Caller): Server
  /** Ends the calls that wait for a person. */
  close(): void
}

/** Creates the MCP servers of the served agents. */
export function createAgentMcp(context: HeadendContext): AgentMcp {
  const validate = createValidator()
  const held = createPendingCalls(() => context.newId('call'))
  return {
    createServer: (caller) => createAgentServer({ context, caller, validate, held }),
    close: held.close,
  }
}
