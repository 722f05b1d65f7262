import { compareTools, lockTools, type LockedTools } from '@troupe/mcp'
import { toFailure, type ToolDefinition } from '@troupe/schema'
import type { LockedServer } from './host-servers.ts'
import type { KnownServer } from './known-servers.ts'
import { readLockFile, writeLockFile } from './lock-file.ts'

/** How the lock of servers is made. */
export interface LockOptions {
  readonly lockFile: string
  /** False: nothing is written. */
  readonly write: boolean
  /** These are all servers there are: others leave the file. */
  readonly isWhole: boolean
  /** What a server offers just now. May reject. */
  toolsOf(known: KnownServer): Promise<readonly ToolDefinition[]>
}

/** Asks every server at once and brings the lock file up to date. One that cannot be asked keeps its entry. Never rejects for a server. */
export async function lockServers(
  servers: readonly KnownServer[],
  { lockFile, write, isWhole, toolsOf }: LockOptions,
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

/** How the tools of one server stand to the lock. */
export function lockStateOf(
  name: string,
  locked: LockedTools,
  tools: readonly ToolDefinition[],
): LockedServer {
  const { added, changed, removed } = compareTools(locked, tools)
  return { name, tools: tools.length, added, changed, removed }
}
