import {
  toFailure,
  toolResult,
  type JsonObject,
  type StopSource,
  type ToolResult,
  type ValidateArguments,
} from '@troupe/schema'
import { createCallLane } from '../calls/call-lane.ts'
import { createOutputCheck } from '../calls/check-output.ts'
import { callStop } from '../calls/call-stop.ts'
import type { CallAnswer, Connection, StoppableCall } from '../connection/connection.ts'
import type { ServerTool } from '../tools/server-tool.ts'
import type { CallServerTool } from '../tools/tool-definition.ts'
import { untilAborted } from '../connection/until-aborted.ts'

/** Number of timeouts without a response in between after which a server is considered hung. */
const MOST_TIMEOUTS = 3
const LOST: ReadonlySet<string> = new Set(['mcp_crashed', 'mcp_closed'])

/** Options of `createServerCalls`. */
export interface ServerCallsOptions {
  readonly server: string
  /** Maximum number of concurrent calls. Further calls wait in order. */
  readonly maxParallel: number
  /** Returns the open connection, or a promise if it has to be opened. */
  connect(): Connection | Promise<Connection>
  /** Validates structured results. */
  readonly validate?: ValidateArguments | undefined
  warn(text: string): void
}

/**
 * Creates the function that calls the tools of a server. Repeats a call once if its response was lost with
 * the connection and the tool is safe to repeat. Restarts a server after three consecutive timeouts.
 */
export function createServerCalls(options: ServerCallsOptions): CallServerTool {
  const { server, connect, warn } = options
  const lane = createCallLane(server, options.maxParallel)
  const checkOutput = createOutputCheck({ server, validate: options.validate, warn })
  const timeouts = new WeakMap<Connection, number>()

  function countTimeout(connection: Connection, { reason }: StopSource): void {
    if (reason === undefined) timeouts.delete(connection)
    // the core cancels a late call with this failure
    else if (reason.code === 'tool_timeout') {
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

  async function callUntilAnswered(
    tool: ServerTool,
    args: JsonObject,
    call: StoppableCall,
  ): Promise<ToolResult> {
    for (let attempt = 1; ; attempt += 1) {
      const connecting = connect()
      const connection =
        connecting instanceof Promise ? await untilAborted(connecting, call.ctx.signal) : connecting
      const answer = await connection.callTool(tool, args, call)
      countTimeout(connection, call.stop)
      const mayRepeat = attempt === 1 && call.stop.reason === undefined && isSafe(tool, answer)
      if (!mayRepeat) return checkOutput(tool, answer.result)
    }
  }

  return async (tool, args, ctx) => {
    const call = { ctx, stop: callStop(ctx) }
    let leave: (() => void) | undefined
    try {
      const entering = lane.enter(call.stop)
      leave = entering instanceof Promise ? await entering : entering
      return await callUntilAnswered(tool, args, call)
    } catch (thrown) {
      return toolResult.failed(toFailure(thrown, 'mcp_closed'))
    } finally {
      leave?.()
    }
  }
}

/**
 * Returns true if the server did not run the call, or if the response was lost and the tool is safe to
 * repeat.
 */
function isSafe(tool: ServerTool, answer: CallAnswer): boolean {
  return answer.unseen || (isLost(answer) && (tool.readOnly || tool.idempotent))
}

function isLost({ result }: CallAnswer): boolean {
  return result.failure !== undefined && LOST.has(result.failure.code)
}
