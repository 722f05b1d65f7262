import { randomUUID } from 'node:crypto'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseToolLock, toolLockText, type ToolLock } from '@troupe/mcp'
import { errorMessage, troupeError } from '@troupe/schema'

/** The lock file beside the configuration; without one, in its folder. */
export function lockFileIn(folder: string): string {
  return join(folder, 'troupe.lock')
}

/** What the file locks; undefined: there is none. Throws `config_invalid`. */
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

/** Replaces the file in one step. */
export function writeLockFile(file: string, lock: ToolLock): void {
  const temporary = `${file}.${randomUUID()}.tmp`
  try {
    writeFileSync(temporary, toolLockText(lock), { flag: 'wx' })
    renameSync(temporary, file)
  } finally {
    rmSync(temporary, { force: true })
  }
}
