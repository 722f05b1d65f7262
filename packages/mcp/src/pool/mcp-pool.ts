import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  createContainmentProbe,
  createGroupLedger,
  type Containment,
  type GroupLedger,
} from '@troupe/process'
import { troupeError, type Clock, type McpServerConfig, type ToolDefinition } from '@troupe/schema'
import { canonicalJson } from '@troupe/schema/json'
import type { ValidateArguments } from '@troupe/schema/ports'
import { savedSessionFor } from '../auth/saved-session.ts'
import { cwdOf, toServerTarget, startTimeoutOf } from '../target/server-target.ts'
import type { RunningProcess } from '../stdio/stdio-transport.ts'
import { raceAbort } from '../abort/abort-signals.ts'
import type { LoginStore } from '../auth/login-store.ts'
import type { FilledPrompt, ServerPrompt } from '../tools/server-prompt.ts'
import { ServerSlot } from './server-slot.ts'

/** Options of `createMcpPool`. */
export interface McpPoolOptions {
  /** Client name and version sent to servers. */
  readonly client: { readonly name: string; readonly version: string }
  /** Environment of the app, from which stdio servers inherit a few variables. */
  readonly baseEnv: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  /** Store of logins, filled by `logIn`. Without it, servers that require a login cannot be used. */
  readonly logins?: LoginStore
  /**
   * Default time limit for a server to start and respond, in ms. Default: 10 s; 60 s for `npx` and similar
   * runners, which may have to download first.
   */
  readonly startTimeout?: number
  /**
   * Validates structured results against the output schemas of their tools. Without it they are not
   * validated.
   */
  readonly validate?: ValidateArguments
  /** Largest message accepted from a server, in bytes. Default: 16 MiB. */
  readonly maxMessageBytes?: number
  /**
   * Folder for records of running processes. A new pool with the same folder ends processes that a killed
   * program left running. Without it, none are recorded.
   */
  readonly processFolder?: string
  /**
   * Returns how to contain server processes with their child processes. Default: the best method the machine
   * supports.
   */
  readonly containment?: () => Promise<Containment>
  /** Time to retain a connection without leases, in ms. Default: until `close`. */
  readonly idleTimeout?: number
  /** Called with the name of a server that has not started after 5 s and is still waited for. Must not throw. */
  onSlowStart?(server: string): void
}

/** A server for a principal. */
export interface McpServerRequest {
  /** Name of the server. Its tools are named `<server>__<tool>`. */
  readonly server: string
  /** Server definition with all variables expanded. */
  readonly config: McpServerConfig
  /** Principal that the server acts for. Two principals never share a connection. */
  readonly principal: string
  /** Folder of the definition. `cwd` is relative to it and defaults to it. */
  readonly folder: string
}

/** Request of a session to use a server. */
export interface McpLeaseRequest extends McpServerRequest {
  /** Ends the wait for this lease. A start that others wait for continues. */
  readonly signal?: AbortSignal
  /** Called with warnings about the server while the lease lasts. Must not throw. */
  onWarning?(text: string): void
}

/** The use of a server by one session. */
export interface McpLease {
  /**
   * Tools at the time of the lease. All leases of a server share these objects until the server changes its
   * tools.
   */
  readonly tools: readonly ToolDefinition[]
  /** Lists the current prompts of the server. Rejects with `tool_timeout`, `mcp_closed` and the like. */
  prompts(options?: { readonly signal?: AbortSignal }): Promise<readonly ServerPrompt[]>
  /**
   * Returns a prompt rendered by the server. Rejects like `prompts`, and with `mcp_failed` for an unknown
   * prompt or arguments.
   */
  prompt(
    name: string,
    options?: { readonly args?: Readonly<Record<string, string>>; readonly signal?: AbortSignal },
  ): Promise<FilledPrompt>
  /** Ends the lease. Never rejects; further calls have no effect. */
  release(): Promise<void>
}

/** The connections of an app to its MCP servers. Sessions lease connections and do not close them. */
export interface McpPool {
  /**
   * Leases a server and starts or connects to it if necessary. Equal definitions of one principal share a
   * connection unless `shared` is false. Rejects with `mcp_bad_config`, `mcp_start_failed`, `mcp_closed`, or
   * the reason of `signal`.
   */
  lease(request: McpLeaseRequest): Promise<McpLease>
  /**
   * Retains only the servers of these requests from now on. Other servers end when they have no lease. Never
   * rejects.
   */
  retain(requests: readonly McpServerRequest[]): Promise<void>
  /** Closes all connections and ends all processes with their child processes. Never rejects. */
  close(): Promise<void>
  /** Sends SIGKILL to every process group at once, for the exit of the app. */
  killAll(): void
}

const MAX_MESSAGE_BYTES = 16 * 1024 * 1024

/**
 * Creates a pool without connections. A connection stays open until `close`, or until `idleTimeout` after its
 * last lease.
 */
export function createMcpPool(options: McpPoolOptions): McpPool {
  return new ServerPool(options)
}

class ServerPool implements McpPool {
  readonly #options: McpPoolOptions
  readonly #ledger: GroupLedger | undefined
  readonly #containment: () => Promise<Containment>
  readonly #running = new Set<RunningProcess>()
  readonly #shared = new Map<string, ServerSlot>()
  readonly #slots = new Set<ServerSlot>()
  readonly #idle = new Map<ServerSlot, () => void>()
  /** `undefined`: all connections are retained. */
  #retained: ReadonlySet<string> | undefined
  #closed = false

  constructor(options: McpPoolOptions) {
    this.#options = options
    this.#ledger = options.processFolder === undefined ? undefined : createGroupLedger(options.processFolder)
    this.#ledger?.sweep()
    this.#containment = options.containment ?? createContainmentProbe()
  }

  async lease(request: McpLeaseRequest): Promise<McpLease> {
    if (this.#closed) throw troupeError('mcp_closed', 'The pool of MCP servers is closed.')
    const key = request.config.shared === false ? undefined : keyOf(request)
    const slot = this.#slot(key, request)
    const release = this.#attach(slot, key, request)
    try {
      return {
        tools: await raceAbort(slot.tools(), request.signal),
        prompts: ({ signal } = {}) => slot.prompts.list(signal),
        prompt: (name, { args = {}, signal } = {}) => slot.prompts.get({ name, args }, signal),
        release,
      }
    } catch (thrown) {
      void release()
      throw thrown
    }
  }

  async retain(requests: readonly McpServerRequest[]): Promise<void> {
    const keys = new Set(requests.map(keyOf))
    this.#retained = keys
    const past = [...this.#shared].filter(([key, slot]) => slot.idle && !keys.has(key))
    await Promise.all(past.map(([key, slot]) => this.#end(slot, key)))
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const cancel of this.#idle.values()) cancel()
    this.#idle.clear()
    await Promise.all([...this.#slots].map((slot) => slot.close()))
    // processes that crashed or failed to start may still be ending their process groups
    await Promise.all([...this.#running].map((running) => running.close()))
  }

  killAll(): void {
    this.#closed = true
    for (const slot of this.#slots) slot.stop()
    for (const running of this.#running) running.kill()
  }

  #slot(key: string | undefined, request: McpLeaseRequest): ServerSlot {
    const known = key === undefined ? undefined : this.#shared.get(key)
    if (known !== undefined) return known
    const { config, principal } = request
    const target = toServerTarget({ ...request, baseEnv: this.#options.baseEnv })
    const { maxMessageBytes = MAX_MESSAGE_BYTES, client, clock, validate, onSlowStart } = this.#options
    const startTimeout = startTimeoutOf(target, config, this.#options.startTimeout)
    const running = this.#running
    const ledger = this.#ledger
    const session = savedSessionFor(target, { ...this.#options, principal })
    const slot = new ServerSlot({
      target,
      config,
      client,
      clock,
      startTimeout,
      maxMessageBytes,
      validate,
      running,
      resources: config.resources === true,
      sampling: config.sampling === 'allow',
      roots: rootsOf(request),
      ...(session === undefined ? {} : { session }),
      ledger,
      containment: this.#containment,
      onSlowStart,
    })
    this.#slots.add(slot)
    if (key !== undefined) this.#shared.set(key, slot)
    return slot
  }

  /** Adds a lease to the slot. Returns an idempotent function that removes it. */
  #attach(slot: ServerSlot, key: string | undefined, { onWarning }: McpLeaseRequest): () => Promise<void> {
    this.#idle.get(slot)?.()
    this.#idle.delete(slot)
    const detach = slot.attach(onWarning)
    let released: Promise<void> | undefined
    return () => (released ??= this.#detach(slot, key, detach))
  }

  async #detach(slot: ServerSlot, key: string | undefined, detach: () => void): Promise<void> {
    detach()
    if (!slot.idle) return
    const { clock, idleTimeout } = this.#options
    const isRetained = key !== undefined && (this.#retained?.has(key) ?? true)
    if (!isRetained || slot.empty) await this.#end(slot, key)
    else if (idleTimeout !== undefined && !this.#closed)
      this.#idle.set(
        slot,
        clock.after(idleTimeout, () => void this.#end(slot, key)),
      )
  }

  async #end(slot: ServerSlot, key: string | undefined): Promise<void> {
    this.#idle.get(slot)?.()
    this.#idle.delete(slot)
    if (key !== undefined) this.#shared.delete(key)
    await slot.close()
    this.#slots.delete(slot)
  }
}

/** Returns the URIs of the folders that a server can list. */
function rootsOf({ config, folder }: Pick<McpServerRequest, 'config' | 'folder'>): readonly string[] {
  return (config.roots ?? []).map((path) => pathToFileURL(resolve(folder, path)).href)
}

/**
 * Returns a key of everything that requires a separate connection. The inherited variables are the same for
 * the whole pool.
 */
function keyOf({ server, config, principal, folder }: McpServerRequest): string {
  return canonicalJson({
    server,
    config,
    principal,
    roots: rootsOf({ config, folder }),
    cwd: config.url === undefined ? cwdOf(config, folder) : null,
  })
}
