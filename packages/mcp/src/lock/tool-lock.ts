import { createHash } from 'node:crypto'
import { getOwn, isJsonObject, troupeError, type JsonObject, type ToolDefinition } from '@troupe/schema'
import { canonicalJson } from '@troupe/schema/json'
import { serverToolOf } from '../tools/tool-definition.ts'
import type { McpLease, McpLeaseRequest, McpPool } from '../pool/mcp-pool.ts'

const VERSION = 1
const DIGEST = /^sha256-[A-Za-z0-9_-]{43}$/u

/** The accepted tools of one server: digest by the server's own tool name. */
export type LockedTools = Readonly<Record<string, string>>

/** The accepted tools of all servers. */
export interface ToolLock {
  readonly servers: ReadonlyMap<string, LockedTools>
}

/** Parses a lock file. Throws `config_invalid` if it is invalid; `file` is for the message. */
export function parseToolLock(text: string, file: string): ToolLock {
  const value = readJson(text, file)
  const servers = isJsonObject(value) ? value['servers'] : undefined
  if (!isJsonObject(value) || value['lockfileVersion'] !== VERSION || !isJsonObject(servers))
    throw invalid(file, `it is not a lock file of version ${VERSION}`)
  return {
    servers: new Map(Object.entries(servers).map(([name, entry]) => [name, lockedTools(entry, name, file)])),
  }
}

/** Formats a lock file, sorted and with one line per tool for small diffs. */
export function toolLockText({ servers }: ToolLock): string {
  const sorted = [...servers].toSorted(byName).map(([name, tools]) => {
    return [name, { tools: Object.fromEntries(Object.entries(tools).toSorted(byName)) }] as const
  })
  return `${JSON.stringify({ lockfileVersion: VERSION, servers: Object.fromEntries(sorted) }, null, 2)}\n`
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function readJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (thrown) {
    throw invalid(file, 'it is not valid JSON', thrown)
  }
}

function lockedTools(entry: unknown, server: string, file: string): LockedTools {
  const tools = isJsonObject(entry) ? entry['tools'] : undefined
  if (!isJsonObject(tools) || !isDigests(tools))
    throw invalid(file, `its entry for "${server}" is not a list of tools`)
  return tools
}

function isDigests(tools: JsonObject): tools is Readonly<Record<string, string>> {
  return Object.values(tools).every((digest) => typeof digest === 'string' && DIGEST.test(digest))
}

function invalid(file: string, problem: string, cause?: unknown): Error {
  return troupeError('config_invalid', `${file}: ${problem}.`, {
    fix: 'Recreate it with `troupe servers lock`.',
    ...(cause === undefined ? {} : { cause }),
  })
}

/** Converts the tools of a lease to a lock entry. */
export function lockTools(tools: readonly ToolDefinition[]): LockedTools {
  return Object.fromEntries(
    tools.flatMap((tool) => {
      const digest = toolDigest(tool)
      return digest === undefined ? [] : [[digest.name, digest.text]]
    }),
  )
}

/** Digest of a tool under the server's own name. */
interface ToolDigest {
  readonly name: string
  readonly text: string
}

const known = new WeakMap<ToolDefinition, ToolDigest>()

/**
 * Returns the digest of a tool's description, schema and hints; `undefined` for tools that do not come from a
 * server.
 */
function toolDigest(definition: ToolDefinition): ToolDigest | undefined {
  const before = known.get(definition)
  const tool = serverToolOf(definition)
  if (before !== undefined || tool === undefined) return before
  const { name, description, inputSchema, readOnly, idempotent, destructive, openWorld = null } = tool
  const said = { name, description, inputSchema, readOnly, idempotent, destructive, openWorld }
  const text = `sha256-${createHash('sha256').update(canonicalJson(said)).digest('base64url')}`
  const digest = { name, text }
  known.set(definition, digest)
  return digest
}

/** Differences between the tools of a server and the lock, as the server's own tool names. */
export interface ToolDrift {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
  /** Tools that match the lock. */
  readonly unchanged: readonly ToolDefinition[]
}

/** Compares the tools of a server with the locked ones. */
export function compareTools(locked: LockedTools, tools: readonly ToolDefinition[]): ToolDrift {
  const unchanged: ToolDefinition[] = []
  const added: string[] = []
  const changed: string[] = []
  const offered = new Set<string>()
  for (const tool of tools) {
    const { name, text } = toolDigest(tool) ?? { name: tool.name, text: '' }
    const expected = getOwn(locked, name)
    offered.add(name)
    if (expected === text) unchanged.push(tool)
    else (expected === undefined ? added : changed).push(name)
  }
  return { added, changed, removed: Object.keys(locked).filter((name) => !offered.has(name)), unchanged }
}

/** Options of `withToolLock`. */
export interface ToolLockOptions {
  /**
   * Returns the lock, or `undefined` if there is none. Called for every lease; if it throws, the lease fails.
   */
  lock(): ToolLock | undefined
  /** True to leave out new and changed tools, false to only warn about them. */
  readonly frozen: boolean
}

/**
 * Wraps a pool to compare the tools of every lease with a lock, and to warn about new and changed tools or
 * leave them out. Servers without a lock entry are not checked unless `frozen`.
 */
export function withToolLock(pool: McpPool, options: ToolLockOptions): McpPool {
  const { frozen } = options
  const filtered = new WeakMap<readonly ToolDefinition[], readonly ToolDefinition[]>()
  return {
    async lease(request) {
      const locked = options.lock()?.servers.get(request.server)
      const lease = await pool.lease(request)
      if (locked === undefined && !frozen) return lease
      const drift = compareTools(locked ?? {}, lease.tools)
      for (const text of driftTexts(drift, { ...request, frozen })) request.onWarning?.(text)
      return frozen ? { ...lease, tools: cachedList(lease, drift) } : lease
    },
    retain: (requests) => pool.retain(requests),
    close: () => pool.close(),
    killAll: () => pool.killAll(),
  }

  /** Returns the same filtered list for the same list of tools, so that callers can cache by identity. */
  function cachedList({ tools }: McpLease, { unchanged }: ToolDrift): readonly ToolDefinition[] {
    if (unchanged.length === tools.length) return tools
    const before = filtered.get(tools)
    if (before !== undefined) return before
    filtered.set(tools, unchanged)
    return unchanged
  }
}

function driftTexts(
  { added, changed, removed }: ToolDrift,
  { server, frozen }: Pick<McpLeaseRequest, 'server'> & { readonly frozen: boolean },
): readonly string[] {
  const consequence = frozen ? '; left out until `troupe servers lock` accepts it' : ''
  const messages = [
    ...changed.map((name) => `its tool "${name}" has changed since it was locked${consequence}`),
    ...added.map((name) => `its tool "${name}" is not in the lock${consequence}`),
    ...removed.map((name) => `its tool "${name}" is in the lock but no longer offered`),
  ]
  return messages.map((text) => `The MCP server "${server}": ${text}.`)
}
