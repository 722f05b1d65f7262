import {
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SseError,
  StreamableHTTPClientTransport,
  type Client,
  type Transport,
} from '@modelcontextprotocol/client'
import {
  errorMessage,
  troupeError,
  TroupeError,
  type Clock,
  type JsonObject,
  type ToolContext,
  type ToolResult,
} from '@troupe/schema'
import { createLoginHiding, type LoginSession } from '../auth/login-session.ts'
import { loginFailure } from '../auth/login-failure.ts'
import { callFailure, sdkMessage, callTool } from '../requests/call-tool.ts'
import { cancellationOf, sendableSignal, settleWithin } from '../abort/abort-signals.ts'
import { answerElicitation, createActiveCalls } from '../elicitation/answer-elicitation.ts'
import { answerSampling } from '../sampling/answer-sampling.ts'
import { type ListOptions, listTools } from '../requests/list-entries.ts'
import { getPrompt, listPrompts, type PromptRequest } from '../requests/prompts.ts'
import type { FilledPrompt, ServerPrompt } from '../tools/server-prompt.ts'
import type { ServerTool } from '../tools/server-tool.ts'
import type { ServerTarget } from '../target/server-target.ts'
import { StdioTransport } from '../stdio/stdio-transport.ts'

/** Result of a call on a connection. */
export interface ConnectionCallResult {
  readonly result: ToolResult
  /**
   * True if the server did not run the call because its session had expired. The call may be repeated on a
   * new connection.
   */
  readonly wasNotExecuted: boolean
}

/** An open connection to one server. */
export interface McpConnection {
  /** True if the connection can no longer be used. */
  readonly isClosed: boolean
  /** Protocol generation: `modern` is 2026-07-28, `legacy` an older revision. */
  readonly era: 'modern' | 'legacy'
  /**
   * Returns the current list of tools (all pages). Rejects with `mcp_start_failed` if the server does not
   * return it.
   */
  listTools(): Promise<readonly ServerTool[]>
  /** Never rejects; errors become failed results. */
  callTool(tool: ServerTool, args: JsonObject, ctx: ToolContext): Promise<ConnectionCallResult>
  /** Returns all prompts (all pages). Rejects with the failure, or with the reason of the signal. */
  listPrompts(signal: AbortSignal): Promise<readonly ServerPrompt[]>
  /** Returns a rendered prompt. Rejects like `listPrompts`. */
  getPrompt(request: PromptRequest, signal: AbortSignal): Promise<FilledPrompt>
  /** Closes the connection and ends the server process, if there is one. Never rejects. */
  close(): Promise<void>
}

/** Callbacks of a connection. They must not throw. */
export interface ConnectionListener {
  warn(text: string): void
  /** Called when the list of tools may have changed. */
  listChanged(): void
}

const CLOSE_TIMEOUT_MS = 1000
const LISTEN_TIMEOUT = 5000
const OUTPUT_SHOWN = 4096
/**
 * HTTP statuses with which servers respond to an unknown session. The call did not run, so it can be
 * repeated.
 */
const SESSION_UNKNOWN: ReadonlySet<number> = new Set([400, 404, 410])

interface Link {
  readonly target: ServerTarget
  readonly client: Client
  readonly transport: Transport
  readonly options: {
    readonly clock: Clock
    readonly startTimeout: number
    readonly listener: ConnectionListener
    readonly session?: LoginSession
    readonly resources?: boolean
    readonly sampling?: boolean
    readonly roots?: readonly string[]
  }
}

/** Wraps a connected client. Throws if the server has already closed the connection. */
export function toConnection(link: Link): McpConnection {
  return new SdkConnection(link)
}

class SdkConnection implements McpConnection {
  readonly #link: Link
  readonly #calls = createActiveCalls()
  readonly #hide: <T>(value: T) => T
  #gone = false
  #expired = false
  #subscribed = false
  #closing: Promise<void> | undefined

  constructor(link: Link) {
    const { client, options } = link
    this.#link = link
    this.#hide = createLoginHiding(options.session)
    if (client.transport === undefined) throw new SdkError(SdkErrorCode.ConnectionClosed, 'Connection closed')
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK knows only this form
    client.onclose = () => this.#onClose()
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- as above
    client.onerror = (error) => this.#onError(error)
    client.setRequestHandler('elicitation/create', ({ params }) =>
      answerElicitation({
        server: link.target.server,
        params: params as unknown as JsonObject,
        call: this.#calls.current(),
        warn: (text) => options.listener.warn(text),
      }),
    )
    if (options.sampling === true)
      client.setRequestHandler('sampling/createMessage', ({ params }) =>
        answerSampling({ server: link.target.server, params, call: this.#calls.current() }),
      )
    const { roots = [] } = options
    if (roots.length > 0)
      client.setRequestHandler('roots/list', () => ({ roots: roots.map((uri) => ({ uri })) }))
    client.setNotificationHandler('notifications/tools/list_changed', () => options.listener.listChanged())
  }

  get isClosed(): boolean {
    return this.#gone
  }

  get era(): 'modern' | 'legacy' {
    return this.#link.client.getProtocolEra() ?? 'legacy'
  }

  async listTools(): Promise<readonly ServerTool[]> {
    const { client, options, target } = this.#link
    const stop = new AbortController()
    const tooLate = `it took longer than ${options.startTimeout / 1000} s`
    const cancel = options.clock.after(options.startTimeout, () => stop.abort(tooLate))
    try {
      await this.#subscribe()
      const listing = {
        signal: stop.signal,
        warn: (remark: string) => this.#remark(remark),
        resources: options.resources === true,
      }
      return this.#hide(await listTools(client, listing))
    } catch (thrown) {
      if (this.#isExpired(thrown)) this.#expire()
      throw listFailure(thrown, target.server)
    } finally {
      cancel()
    }
  }

  async callTool(tool: ServerTool, args: JsonObject, ctx: ToolContext): Promise<ConnectionCallResult> {
    const { client, target } = this.#link
    const call = { client, server: target.server, tool, args, ctx, ending: () => this.#ending() }
    const { result, thrown } = await this.#calls.run(ctx, () => callTool(call))
    const wasNotExecuted = this.#isExpired(thrown)
    if (wasNotExecuted) this.#expire()
    return { result: this.#hide(result), wasNotExecuted }
  }

  listPrompts(signal: AbortSignal): Promise<readonly ServerPrompt[]> {
    return this.#ask(signal, (options) => listPrompts(this.#link.client, options))
  }

  getPrompt(request: PromptRequest, signal: AbortSignal): Promise<FilledPrompt> {
    return this.#ask(signal, (options) => getPrompt(this.#link.client, request, options))
  }

  close(): Promise<void> {
    this.#gone = true
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #ask<T>(signal: AbortSignal, question: (options: ListOptions) => Promise<T>): Promise<T> {
    const sendable = sendableSignal(signal)
    try {
      const warn = (remark: string): void => this.#remark(remark)
      return this.#hide(await question({ signal: sendable.signal, warn }))
    } catch (thrown) {
      if (this.#isExpired(thrown)) this.#expire()
      const { server } = this.#link.target
      const why = callFailure(thrown, {
        server,
        stopped: cancellationOf(signal),
        ending: () => this.#ending(),
      })
      throw new TroupeError(this.#hide(why), { cause: thrown })
    } finally {
      sendable.release()
    }
  }

  async #close(): Promise<void> {
    const { client, transport, options } = this.#link
    if (transport instanceof StreamableHTTPClientTransport && !this.#expired)
      await settleWithin(options.clock, CLOSE_TIMEOUT_MS, transport.terminateSession())
    await settleWithin(options.clock, CLOSE_TIMEOUT_MS, client.close())
    if (transport instanceof StdioTransport) await transport.close()
  }

  /** Subscribes to changes of the tool list, which the newer protocol requires. */
  async #subscribe(): Promise<void> {
    const { client, options, target } = this.#link
    if (this.#subscribed || this.era === 'legacy') return
    if (client.getServerCapabilities()?.tools?.listChanged !== true) return
    try {
      const subscription = await client.listen({ toolsListChanged: true }, { timeout: LISTEN_TIMEOUT })
      this.#subscribed = true
      void subscription.closed.then(() => {
        this.#subscribed = false
        options.listener.listChanged()
      })
    } catch (thrown) {
      options.listener.warn(
        `The MCP server "${target.server}" does not report changes to its tools: ${errorMessage(thrown)}`,
      )
    }
  }

  #remark(remark: string): void {
    const { options, target } = this.#link
    options.listener.warn(`The MCP server "${target.server}": ${remark}.`)
  }

  #onClose(): void {
    this.#gone = true
    const { transport, options, target } = this.#link
    if (!(transport instanceof StdioTransport) || transport.exit === undefined) return
    const output = transport.stderr.text(OUTPUT_SHOWN)
    const said = output === '' ? '' : ` Its error output:\n${output}`
    options.listener.warn(`The MCP server "${target.server}" ${transport.exit}.${said}`)
  }

  /**
   * Closes the connection if an SSE stream breaks, because the server can then no longer respond. Other
   * errors, mostly late responses, are ignored.
   */
  #onError(error: Error): void {
    if (SseError.isInstance(error)) void this.close()
  }

  #expire(): void {
    this.#expired = true
    void this.close()
  }

  #ending(): string | undefined {
    const { transport } = this.#link
    return transport instanceof StdioTransport && transport.exit !== undefined
      ? `it ${transport.exit}`
      : undefined
  }

  #isExpired(thrown: unknown): boolean {
    const hasSession = this.#link.transport.sessionId !== undefined
    return hasSession && SdkHttpError.isInstance(thrown) && SESSION_UNKNOWN.has(thrown.status)
  }
}

function listFailure(thrown: unknown, server: string): TroupeError {
  const login = loginFailure(thrown, server)
  if (login !== undefined) return login
  return troupeError(
    'mcp_start_failed',
    `The MCP server "${server}" did not list its tools: ${sdkMessage(thrown)}.`,
    { cause: thrown },
  )
}
