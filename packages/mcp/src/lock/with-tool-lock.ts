import type { ToolDefinition } from '@troupe/schema'
import type { McpLease, McpLeaseRequest, McpPool } from '../pool/mcp-pool.ts'
import { compareTools, type ToolDrift, type ToolLock } from './tool-lock.ts'

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
