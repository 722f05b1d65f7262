import {
  toFailure,
  toolResult,
  type Json,
  type JsonObject,
  type ToolContext,
  type ToolResult,
  TroupeError,
  troupeError,
} from '@troupe/schema'
import { isJsonTooDeep, MAX_JSON_DEPTH } from '@troupe/schema/json'
import type { ValidateArguments } from '@troupe/schema/ports'
import type { ConnectionCallResult, McpConnection } from '../connection/connection.ts'
import type { ServerTool } from '../tools/server-tool.ts'
import type { CallServerTool } from '../tools/tool-definition.ts'
import { cancellationOf, raceAbort, abortFailure } from '../abort/abort-signals.ts'

/** Number of timeouts without a response in between after which a server is considered hung. */
const MAX_TIMEOUTS = 3
const LOST: ReadonlySet<string> = new Set(['mcp_crashed', 'mcp_closed'])

/** The members of a connection that calls need. */
type CallableConnection = Pick<McpConnection, 'callTool' | 'close'>

/** Options of `createServerCalls`. */
interface ServerCallsOptions {
  readonly server: string
  /** Maximum number of concurrent calls. Further calls wait in order. */
  readonly maxParallel: number
  /** Returns the open connection, or opens one. */
  connect(): Promise<CallableConnection>
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
  const limiter = createCallLimiter(server, options.maxParallel)
  const checkOutput = createOutputCheck({ server, validate: options.validate, warn })
  const timeouts = new WeakMap<CallableConnection, number>()

  function countTimeout(connection: CallableConnection, signal: AbortSignal): void {
    const reason = cancellationOf(signal)
    if (reason === undefined) timeouts.delete(connection)
    // the core cancels a late call with this failure
    else if (reason.code === 'tool_timeout') {
      const count = (timeouts.get(connection) ?? 0) + 1
      timeouts.set(connection, count)
      if (count === MAX_TIMEOUTS) restart(connection)
    }
  }

  function restart(connection: CallableConnection): void {
    warn(`${MAX_TIMEOUTS} calls in a row to the MCP server "${server}" timed out; it is restarted.`)
    void connection.close()
  }

  async function callWithRetry(tool: ServerTool, args: JsonObject, ctx: ToolContext): Promise<ToolResult> {
    const { signal } = ctx
    for (let attempt = 1; ; attempt += 1) {
      const connection = await raceAbort(connect(), signal)
      const answer = await connection.callTool(tool, args, ctx)
      countTimeout(connection, signal)
      const mayRepeat = attempt === 1 && !signal.aborted && isSafeToRetry(tool, answer)
      if (!mayRepeat) return checkOutput(tool, answer.result)
    }
  }

  return async (tool, args, ctx) => {
    let release: (() => void) | undefined
    try {
      release = await limiter.acquire(ctx.signal)
      return await callWithRetry(tool, args, ctx)
    } catch (thrown) {
      return toolResult.failed(toFailure(thrown, 'mcp_closed'))
    } finally {
      release?.()
    }
  }
}

/**
 * Returns true if the server did not run the call, or if the response was lost and the tool is safe to
 * repeat.
 */
function isSafeToRetry(tool: ServerTool, answer: ConnectionCallResult): boolean {
  return answer.wasNotExecuted || (isLost(answer) && (tool.readOnly || tool.idempotent))
}

function isLost({ result }: ConnectionCallResult): boolean {
  return result.failure !== undefined && LOST.has(result.failure.code)
}

/** Checks the structured content of a result against the output schema of its tool. */
type CheckOutput = (tool: ServerTool, result: ToolResult) => ToolResult

/**
 * Creates a check that compiles a schema on first use. It removes structured content that is invalid or
 * nested too deeply and leaves the text. Warns once per tool.
 */
function createOutputCheck(options: {
  readonly server: string
  /** If `undefined`, only the nesting depth is checked. */
  readonly validate: ValidateArguments | undefined
  warn(text: string): void
}): CheckOutput {
  const { server, validate, warn } = options
  const warnedTools = new WeakSet<ServerTool>()
  return (tool, result) => {
    const { structured, ...rest } = result
    const problem = structured === undefined ? undefined : problemOf(tool, structured)
    if (problem === undefined) return result
    if (!warnedTools.has(tool))
      warn(
        `The tool "${tool.name}" of the MCP server "${server}" returned structured content that ${problem}`,
      )
    warnedTools.add(tool)
    return rest
  }

  function problemOf({ outputSchema }: ServerTool, structured: Json): string | undefined {
    if (isJsonTooDeep(structured))
      return `is nested more than ${MAX_JSON_DEPTH} levels deep; only its text is used.`
    if (outputSchema === undefined || validate === undefined) return undefined
    const checked = validate(outputSchema, structured)
    if (checked.ok) return undefined
    return `does not match its output schema; only its text is used: ${checked.problems.join('; ')}`
  }
}

const MAX_WAITING_CALLS = 10_000

/** Limits the number of concurrent calls; further calls wait in order. */
interface CallLimiter {
  /**
   * Returns a function that releases the permit. Rejects with the abort reason if the call is cancelled, and
   * with `mcp_failed` if too many calls are waiting.
   */
  acquire(signal: AbortSignal): Promise<() => void>
}

/** Creates a limiter for `size` concurrent calls. */
function createCallLimiter(server: string, size: number): CallLimiter {
  const waiting = new Set<() => void>()
  let free = size

  function releasePermit(): void {
    const [next] = waiting
    if (next === undefined) free += 1
    else {
      waiting.delete(next)
      next()
    }
  }

  /** Creates a permit; releasing it more than once has no effect. */
  function createPermit(): () => void {
    let isHeld = true
    return () => {
      if (isHeld) releasePermit()
      isHeld = false
    }
  }

  function wait(signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        waiting.delete(take)
        reject(new TroupeError(abortFailure(signal.reason)))
      }
      const take = (): void => {
        signal.removeEventListener('abort', onAbort)
        resolve(createPermit())
      }
      signal.addEventListener('abort', onAbort, { once: true })
      waiting.add(take)
    })
  }

  return {
    async acquire(signal) {
      if (signal.aborted) throw new TroupeError(abortFailure(signal.reason))
      if (waiting.size >= MAX_WAITING_CALLS)
        throw troupeError(
          'mcp_failed',
          `More than ${MAX_WAITING_CALLS} calls are waiting for the MCP server "${server}".`,
        )
      if (free === 0) return wait(signal)
      free -= 1
      return createPermit()
    },
  }
}
