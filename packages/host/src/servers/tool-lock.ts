import { randomUUID } from 'node:crypto'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  compareTools,
  lockTools,
  parseToolLock,
  toolLockText,
  type LockedTools,
  type ToolLock,
} from '@troupe/mcp'
import { errorMessage, toFailure, troupeError, type ToolDefinition } from '@troupe/schema'
import type { LockedServer } from './host-servers.ts'
import type { KnownServer } from './known-servers.ts'

/** Options of `lockServers`. */
interface ServerLockOptions {
  readonly lockFile: string
  /** False to compare without writing. */
  readonly write: boolean
  /** True if `servers` is complete, so that entries of other servers are removed. */
  readonly isComplete: boolean
  /** Returns the tools that a server currently offers. May reject. */
  toolsOf(known: KnownServer): Promise<readonly ToolDefinition[]>
}

/**
 * Lists the tools of all servers concurrently and updates the lock file. A server that cannot be connected
 * keeps its entry. Never rejects because of a server.
 */
export async function lockServers(
  servers: readonly KnownServer[],
  { lockFile, write, isComplete, toolsOf }: ServerLockOptions,
): Promise<{ readonly file: string; readonly servers: readonly LockedServer[] }> {
  const before = readLockFile(lockFile)?.servers ?? new Map<string, LockedTools>()
  const after = new Map(isComplete ? [] : before)
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
        const toolCount = Object.keys(locked).length
        return { name, tools: toolCount, added: [], changed: [], removed: [], failure: toFailure(thrown) }
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

/** Returns the path of the lock file in the folder of the configuration. */
export function lockFileIn(folder: string): string {
  return join(folder, 'troupe.lock')
}

/** Reads the lock file. Returns `undefined` if it does not exist. Throws `config_invalid`. */
export function readLockFile(file: string): ToolLock | undefined {
  try {
    return parseToolLock(readFileSync(file, 'utf8'), file)
  } catch (thrown) {
    const { code } = thrown as { readonly code?: unknown }
    if (code === 'ENOENT') return undefined
    if (code === 'config_invalid') throw thrown
    throw troupeError('config_invalid', `${file} cannot be read: ${errorMessage(thrown)}.`, { cause: thrown })
  }
}

/** Replaces the file atomically. */
function writeLockFile(file: string, lock: ToolLock): void {
  const temporary = `${file}.${randomUUID()}.tmp`
  try {
    writeFileSync(temporary, toolLockText(lock), { flag: 'wx' })
    renameSync(temporary, file)
  } finally {
    rmSync(temporary, { force: true })
  }
}
