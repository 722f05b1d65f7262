import { sleep } from '@troupe/process'
import { troupeError, type Clock, type McpServerConfig, type ToolDefinition, failure } from '@troupe/schema'
import type { ValidateArguments } from '@troupe/schema/ports'
import type { McpConnection } from '../connection/connection.ts'
import type { ConnectionOptions } from '../connection/open-connection.ts'
import { createServerCalls } from './server-calls.ts'
import { type ServerTarget, unpinnedPackage } from '../target/server-target.ts'
import type { ServerTool } from '../tools/server-tool.ts'
import { createToolCatalogue, type ToolCatalogue } from '../tools/tool-definition.ts'
import { raceAbort } from '../abort/abort-signals.ts'
import type { PromptRequest } from '../requests/prompts.ts'
import type { FilledPrompt, ServerPrompt } from '../tools/server-prompt.ts'

const MAX_RESTARTS = 3
const RESTART_WINDOW = 5 * 60 * 1000
const CALLS_AT_ONCE = 16
const PROMPT_TIMEOUT = 60_000
const SLOW_START = 5000

/** Options of `ServerSlot`. */
interface SlotOptions extends Omit<ConnectionOptions, 'listener' | 'signal' | 'era'> {
  readonly target: ServerTarget
  readonly config: McpServerConfig
  readonly validate?: ValidateArguments | undefined
  /** Called with the name of the server if it has not started after 5 s. */
  readonly onSlowStart?: ((server: string) => void) | undefined
}

/** One server in a pool. Has at most one connection, opened on demand and reopened after it breaks. */
export class ServerSlot {
  readonly prompts: ServerPrompts
  readonly #options: SlotOptions
  readonly #catalogue: ToolCatalogue
  readonly #budget: RestartBudget
  readonly #stop = new AbortController()
  readonly #leases = new Set<(text: string) => void>()
  #connection: McpConnection | undefined
  #opening: Promise<McpConnection> | undefined
  #tools: readonly ToolDefinition[] | undefined
  #reading: Promise<readonly ToolDefinition[]> | undefined
  #stale = false

  constructor(options: SlotOptions) {
    const { target, config, clock } = options
    const { server } = target
    this.#options = options
    this.#budget = createRestartBudget({ clock, most: MAX_RESTARTS, window: RESTART_WINDOW })
    this.#catalogue = createToolCatalogue({
      server,
      config,
      call: createServerCalls({
        server,
        maxParallel: config.maxParallel ?? CALLS_AT_ONCE,
        connect: () => this.#connect(),
        validate: options.validate,
        warn: (text) => this.#warn(text),
      }),
    })
    this.prompts = createServerPrompts({
      server,
      clock,
      timeout: config.toolTimeout ?? PROMPT_TIMEOUT,
      connect: () => this.#connect(),
    })
  }

  /** True if there are no leases. */
  get idle(): boolean {
    return this.#leases.size === 0
  }

  /** True if a connection was never opened and none is being opened. */
  get empty(): boolean {
    return this.#connection === undefined && this.#opening === undefined
  }

  /** Adds a lease that receives warnings. Returns a function that removes it. */
  attach(onWarning: ((text: string) => void) | undefined): () => void {
    const lease = (text: string): void => {
      try {
        onWarning?.(text)
      } catch {
        // a faulty listener must not keep a server from being ended
      }
    }
    this.#leases.add(lease)
    return () => void this.#leases.delete(lease)
  }

  /**
   * Returns the tools of the server and starts it if necessary. Reads the list once per connection and again
   * after a change.
   */
  async tools(): Promise<readonly ToolDefinition[]> {
    const connection = await this.#connect()
    if (this.#tools !== undefined && !this.#stale) return this.#tools
    this.#reading ??= this.#readTools(connection).finally(() => (this.#reading = undefined))
    return await this.#reading
  }

  /** Prevents new connections. */
  stop(): void {
    this.#stop.abort()
  }

  /** Closes the connection. Never rejects. */
  async close(): Promise<void> {
    this.stop()
    await this.#opening?.catch(() => undefined) // the callers that await it receive the failure
    await this.#connection?.close()
  }

  async #connect(): Promise<McpConnection> {
    const { signal } = this.#stop
    const live = this.#connection
    if (live !== undefined && !live.isClosed && !signal.aborted) return live
    this.#opening ??= this.#open(signal).finally(() => (this.#opening = undefined))
    return this.#opening
  }

  async #open(signal: AbortSignal): Promise<McpConnection> {
    if (signal.aborted) throw releasedError(this.#options.target.server)
    if (this.#connection === undefined) this.#warnOfPackage()
    else await this.#waitForRestart(signal)
    const { openConnection } = await import('../connection/open-connection.ts')
    const { target, clock, onSlowStart } = this.#options
    const cancel = clock.after(SLOW_START, () => onSlowStart?.(target.server))
    const connection = await openConnection(target, {
      ...this.#options,
      signal,
      listener: { warn: (text) => this.#warn(text), listChanged: () => (this.#stale = true) },
      ...(this.#connection?.era === 'legacy' ? { era: 'legacy' } : {}),
    }).finally(cancel)
    this.#connection = connection
    this.#stale = true
    return connection
  }

  async #readTools(connection: McpConnection): Promise<readonly ToolDefinition[]> {
    // reset before the request: a change during it must cause another read
    this.#stale = false
    const listed = await this.#list(connection)
    const { tools, changes } = this.#catalogue.update(listed)
    this.#tools = tools
    if (changes !== undefined)
      this.#warn(`The MCP server "${this.#options.target.server}" changed its tools: ${changes}.`)
    return tools
  }

  /** Reconnects once if an idle connection turns out to be closed. */
  async #list(connection: McpConnection): Promise<readonly ServerTool[]> {
    try {
      return await connection.listTools()
    } catch (thrown) {
      this.#stale = true
      if (this.#tools === undefined || !connection.isClosed) throw thrown
      const next = await this.#connect()
      this.#stale = false
      return next.listTools()
    }
  }

  /** Delays the restart of a process and limits the number of restarts. HTTP servers reconnect at once. */
  async #waitForRestart(signal: AbortSignal): Promise<void> {
    const { target, clock } = this.#options
    if (target.kind === 'http') return
    const wait = this.#budget.spend()
    if (wait === undefined)
      throw troupeError(
        'mcp_closed',
        `The MCP server "${target.server}" stopped again after ${MAX_RESTARTS} restarts in 5 minutes and is not restarted for now.`,
      )
    await raceAbort(sleep(clock, wait), signal).catch(() => undefined)
    if (signal.aborted) throw releasedError(target.server)
  }

  #warnOfPackage(): void {
    const { target } = this.#options
    const spec = target.kind === 'stdio' ? unpinnedPackage(target) : undefined
    if (spec === undefined) return
    this.#warn(
      `The MCP server "${target.server}" runs whichever version of "${spec}" is newest. Pin a version: ${spec.replace(/@latest$/u, '')}@<version>.`,
    )
  }

  #warn(text: string): void {
    for (const lease of this.#leases) lease(text)
  }
}

function releasedError(server: string): Error {
  return troupeError(
    'mcp_closed',
    `The MCP server "${server}" is no longer in use: its lease or its pool has ended.`,
  )
}

const FIRST_WAIT = 100
const GROWTH = 4

/** Limits how often and how fast a crashing server is restarted. */
interface RestartBudget {
  /** Uses one restart. Returns the delay before it in ms, or `undefined` if no restart is allowed now. */
  spend(): number | undefined
}

/**
 * Allows `most` restarts in any period of `window` ms. The delay starts at 100 ms and quadruples with each
 * restart.
 */
function createRestartBudget(options: {
  readonly clock: Clock
  readonly most: number
  readonly window: number
}): RestartBudget {
  let spent: readonly number[] = []
  return {
    spend() {
      const now = options.clock.monotonic()
      spent = spent.filter((time) => now - time < options.window)
      if (spent.length >= options.most) return undefined
      const wait = FIRST_WAIT * GROWTH ** spent.length
      spent = [...spent, now]
      return wait
    },
  }
}

/** The prompts of one server. Requests end with the signal, or after the time limit with `tool_timeout`. */
interface ServerPrompts {
  list(signal?: AbortSignal): Promise<readonly ServerPrompt[]>
  get(request: PromptRequest, signal?: AbortSignal): Promise<FilledPrompt>
}

/** Options of `createServerPrompts`. */
interface ServerPromptsOptions {
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
function createServerPrompts(options: ServerPromptsOptions): ServerPrompts {
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
