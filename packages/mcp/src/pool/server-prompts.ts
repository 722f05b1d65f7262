import { failure, type Clock } from '@troupe/schema'
import type { McpConnection } from '../connection/connection.ts'
import { raceAbort } from '../abort/abort-signals.ts'
import type { PromptRequest } from '../requests/prompts.ts'
import type { FilledPrompt, ServerPrompt } from '../tools/server-prompt.ts'

/** The prompts of one server. Requests end with the signal, or after the time limit with `tool_timeout`. */
export interface ServerPrompts {
  list(signal?: AbortSignal): Promise<readonly ServerPrompt[]>
  get(request: PromptRequest, signal?: AbortSignal): Promise<FilledPrompt>
}

/** Options of `createServerPrompts`. */
export interface ServerPromptsOptions {
  readonly server: string
  readonly clock: Clock
  /** Time limit of a request, in ms. */
  readonly timeout: number
  /** Returns the open connection, or opens one. */
  connect(): Promise<McpConnection>
}

/**
 * Creates access to the prompts of a server. A request is repeated once if the response was lost with the
 * connection, because reading has no side effects.
 */
export function createServerPrompts(options: ServerPromptsOptions): ServerPrompts {
  const { clock, timeout, server, connect } = options

  async function ask<T>(
    outer: AbortSignal | undefined,
    question: (connection: McpConnection, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const tooLate = new AbortController()
    const cancel = clock.after(timeout, () => tooLate.abort(lateness(server, timeout)))
    const signal = outer === undefined ? tooLate.signal : AbortSignal.any([outer, tooLate.signal])
    try {
      const first = await raceAbort(connect(), signal)
      return await question(first, signal).catch(async (thrown: unknown) => {
        if (!first.isClosed || signal.aborted) throw thrown
        return question(await raceAbort(connect(), signal), signal)
      })
    } finally {
      cancel()
    }
  }

  return {
    list: (outer) => ask(outer, (connection, signal) => connection.listPrompts(signal)),
    get: (request, outer) => ask(outer, (connection, signal) => connection.getPrompt(request, signal)),
  }
}

function lateness(server: string, timeout: number): ReturnType<typeof failure> {
  return failure(
    'tool_timeout',
    `The MCP server "${server}" did not answer within ${timeout / 1000} s.`,
    'Set a longer `toolTimeout` in the definition of the server.',
  )
}
