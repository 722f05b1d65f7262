import { randomUUID } from 'node:crypto'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseToolLock, toolLockText, type ToolLock } from '@troupe/mcp'
import { errorMessage, troupeError } from '@troupe/schema'

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
export function writeLockFile(file: string, lock: ToolLock): void {
  const temporary = `${file}.${randomUUID()}.tmp`
  try {
    writeFileSync(temporary, toolLockText(lock), { flag: 'wx' })
    renameSync(temporary, file)
  } finally {
    rmSync(temporary, { force: true })
  }
}
