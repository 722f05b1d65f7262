import type { ToolDefinition } from '@troupe/schema'
import type { McpLease, McpLeaseRequest, McpPool } from '../pool/mcp-pool.ts'
import { compareTools, type ToolDrift } from './compare-tools.ts'
import type { ToolLock } from './tool-lock.ts'

/** What servers are held against. */
export interface ToolLockOptions {
  /** Asked with every lease; undefined: nothing was locked. What it throws fails the lease. */
  lock(): ToolLock | undefined
  /** True: tools that are not in the lock, or not as they are there, are left out. False: that is only told. */
  readonly frozen: boolean
}

/**
 * A pool whose servers are held against a lock with every lease: a tool that is not what somebody has looked at is told of, or left out
 * (S15). Without a lock, or for a server that is not in it, nothing happens unless `frozen`.
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
      return frozen ? { ...lease, tools: sameList(lease, drift) } : lease
    },
    retain: (requests) => pool.retain(requests),
    close: () => pool.close(),
    killAll: () => pool.killAll(),
  }

  /** What is made of a list of tools is kept for as long as it is the same list. */
  function sameList({ tools }: McpLease, { kept }: ToolDrift): readonly ToolDefinition[] {
    if (kept.length === tools.length) return tools
    const before = filtered.get(tools)
    if (before !== undefined) return before
    filtered.set(tools, kept)
    return kept
  }
}

function driftTexts(
  { added, changed, removed }: ToolDrift,
  { server, frozen }: Pick<McpLeaseRequest, 'server'> & { readonly frozen: boolean },
): readonly string[] {
  const consequence = frozen ? '; left out until `troupe servers lock` accepts it' : ''
  const told = [
    ...changed.map((name) => `its tool "${name}" is not what was locked${consequence}`),
    ...added.map((name) => `its tool "${name}" is not in the lock${consequence}`),
    ...removed.map((name) => `its tool "${name}" is in the lock and is not offered any more`),
  ]
  return told.map((text) => `The MCP server "${server}": ${text}.`)
}
