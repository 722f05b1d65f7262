import {
  toFailure,
  toolResult,
  type JsonObject,
  type ToolContext,
  type ToolResult,
  type ValidateArguments,
} from '@troupe/schema'
import { createCallLane } from './call-lane.ts'
import { createOutputCheck } from './check-output.ts'
import type { CallAnswer, Connection } from './connection.ts'
import type { ServerTool } from './server-tool.ts'
import type { CallServerTool } from './tool-definition.ts'
import { isFailure, untilAborted } from './until-aborted.ts'

/** Timeouts without an answer between them, after which a server is held to hang. */
const MOST_TIMEOUTS = 3
const LOST: ReadonlySet<string> = new Set(['mcp_crashed', 'mcp_closed'])

/** Where the calls of a server go. */
export interface ServerCallsOptions {
  readonly server: string
  /** Calls under way at once; more wait in order. */
  readonly maxParallel: number
  /** The live connection, at once where there is one; opened if need be. */
  connect(): Connection | Promise<Connection>
  /** Checks what comes back. */
  readonly validate?: ValidateArguments | undefined
  warn(text: string): void
}

/**
 * How one server is called. A call whose answer was lost with the connection is made once more where the tool says that this does
 * no harm, and never otherwise. A server that lets three calls in a row run out of time is ended; the next call starts it again.
 */
export function createServerCalls(options: ServerCallsOptions): CallServerTool {
  const { server, connect, warn } = options
  const lane = createCallLane(server, options.maxParallel)
  const checkOutput = createOutputCheck({ server, validate: options.validate, warn })
  const timeouts = new WeakMap<Connection, number>()

  async function callOnce(tool: ServerTool, args: JsonObject, ctx: ToolContext): Promise<CallAnswer> {
    const connecting = connect()
    const connection = connecting instanceof Promise ? await untilAborted(connecting, ctx.signal) : connecting
    const answer = await connection.callTool(tool, args, ctx)
    countTimeout(connection, ctx.signal)
    return { ...answer, result: checkOutput(tool, answer.result) }
  }

  function countTimeout(connection: Connection, signal: AbortSignal): void {
    if (!signal.aborted) timeouts.delete(connection)
    else if (isTimeout(signal.reason)) {
      const count = (timeouts.get(connection) ?? 0) + 1
      timeouts.set(connection, count)
      if (count === MOST_TIMEOUTS) restart(connection)
    }
  }

  function restart(connection: Connection): void {
    warn(
      `The MCP server "${server}" let ${MOST_TIMEOUTS} calls in a row run out of time; it is ended and started again.`,
    )
    void connection.close()
  }

  async function callTwice(tool: ServerTool, args: JsonObject, ctx: ToolContext): Promise<ToolResult> {
    const entering = lane.enter(ctx.signal)
    const leave = entering instanceof Promise ? await untilAborted(entering, ctx.signal) : entering
    try {
      const answer = await callOnce(tool, args, ctx)
      const isSafe = answer.unseen || (isLost(answer) && (tool.readOnly || tool.idempotent))
      if (!isSafe || ctx.signal.aborted) return answer.result
      return (await callOnce(tool, args, ctx)).result
    } finally {
      leave()
    }
  }

  return async (tool, args, ctx) => {
    try {
      return await callTwice(tool, args, ctx)
    } catch (thrown) {
      return toolResult.failed(toFailure(thrown, 'mcp_closed'))
    }
  }
}

function isLost({ result }: CallAnswer): boolean {
  return result.failure !== undefined && LOST.has(result.failure.code)
}

/** Core stops a call that is late with a failure that says so. */
function isTimeout(reason: unknown): boolean {
  return isFailure(reason) && reason.code === 'tool_timeout'
}
