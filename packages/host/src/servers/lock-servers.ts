import { compareTools, lockTools, type LockedTools } from '@troupe/mcp'
import { toFailure, type ToolDefinition } from '@troupe/schema'
import type { LockedServer } from './host-servers.ts'
import type { KnownServer } from './known-servers.ts'
import { readLockFile, writeLockFile } from './lock-file.ts'

/** Options of `lockServers`. */
export interface ServerLockOptions {
  readonly lockFile: string
  /** False to compare without writing. */
  readonly write: boolean
  /** True if `servers` is complete, so that entries of other servers are removed. */
  readonly isWhole: boolean
  /** Returns the tools that a server currently offers. May reject. */
  toolsOf(known: KnownServer): Promise<readonly ToolDefinition[]>
}

/**
 * Lists the tools of all servers concurrently and updates the lock file. A server that cannot be connected
 * keeps its entry. Never rejects because of a server.
 */
export async function lockServers(
  servers: readonly KnownServer[],
  { lockFile, write, isWhole, toolsOf }: ServerLockOptions,
): Promise<{ readonly file: string; readonly servers: readonly LockedServer[] }> {
  const before = readLockFile(lockFile)?.servers ?? new Map<string, LockedTools>()
  const after = new Map(isWhole ? [] : before)
  const states = await Promise.all(
    servers.map(async (known): Promise<LockedServer> => {
      const { name } = known.server
      const locked = before.get(name) ?? {}
      try {
        const tools = await toolsOf(known)
        after.set(name, lockTools(tools))
        return lockStateOf(name, locked, tools)
      } catch (thrown) {
        if (before.has(name)) after.set(name, locked)
        const kept = Object.keys(locked).length
        return { name, tools: kept, added: [], changed: [], removed: [], failure: toFailure(thrown) }
      }
    }),
  )
  if (write) writeLockFile(lockFile, { servers: after })
  return { file: lockFile, servers: states }
}

/** Compares the tools of one server with the lock. */
export function lockStateOf(
  name: string,
  locked: LockedTools,
  tools: readonly ToolDefinition[],
): LockedServer {
  const { added, changed, removed } = compareTools(locked, tools)
  return { name, tools: tools.length, added, changed, removed }
}
