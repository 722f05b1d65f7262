import {
  createContainmentProbe,
  createGroupLedger,
  type Containment,
  type GroupLedger,
} from '@troupe/process'
import { troupeError } from '@troupe/schema'
import { canonicalJson } from '@troupe/schema/json'
import { savedSessionFor } from '../auth/saved-session.ts'
import type { McpLease, McpLeaseRequest, McpPool, McpPoolOptions, McpServerRequest } from './mcp-pool.ts'
import { ServerSlot } from './server-slot.ts'
import { cwdOf, toServerTarget } from '../target/server-target.ts'
import { startTimeoutOf } from '../target/package-runner.ts'
import type { RunningProcess } from '../stdio/stdio-transport.ts'
import { raceAbort } from '../abort/abort-signals.ts'

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
    const { maxMessageBytes = MAX_MESSAGE_BYTES, client, clock, validate } = this.#options
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
      ...(session === undefined ? {} : { session }),
      ledger,
      containment: this.#containment,
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

/**
 * Returns a key of everything that requires a separate connection. The inherited variables are the same for
 * the whole pool.
 */
function keyOf({ server, config, principal, folder }: McpServerRequest): string {
  return canonicalJson({
    server,
    config,
    principal,
    cwd: config.url === undefined ? cwdOf(config, folder) : null,
  })
}
