import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isJsonObject, troupeError } from '@troupe/schema'

/** A tool of one agent, as approved by one principal. */
export interface ApprovedTool {
  readonly principal: string
  /** Path or address of the card; `code:NAME` for an agent from code. */
  readonly card: string
  readonly tool: string
}

/** Tools that are always approved. */
export interface PermanentApprovals {
  has(tool: ApprovedTool): boolean
  add(tool: ApprovedTool): Promise<void>
}

const VERSION = 1

/** Returns the path of the approvals file in the state folder of an app. */
export function approvalsFile(stateFolder: string): string {
  return join(stateFolder, 'approvals.json')
}

/**
 * Stores approvals in a file that only this user can read and that may be edited by hand; without `file`, in
 * memory. The file is read for every question, which are rare. A file that cannot be read approves nothing.
 */
export function createPermanentApprovals(file: string | undefined): PermanentApprovals {
  const inMemory = new Set<string>()
  const read = (): ReadonlySet<string> => (file === undefined ? inMemory : readApprovals(file))
  return {
    has: (tool) => read().has(keyOf(tool)),
    add: async (tool) => {
      const key = keyOf(tool)
      if (file === undefined) inMemory.add(key)
      else writeApprovals(file, new Set([...readApprovals(file), key]))
    },
  }
}

function keyOf({ principal, card, tool }: ApprovedTool): string {
  return JSON.stringify([principal, card, tool])
}

function readApprovals(file: string): ReadonlySet<string> {
  try {
    const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (!isJsonObject(parsed) || !Array.isArray(parsed['allowed'])) return NO_APPROVALS
    return new Set(parsed['allowed'].map((entry) => JSON.stringify(entry)))
  } catch {
    // Missing or damaged: approvals are asked for again.
    return NO_APPROVALS
  }
}

const NO_APPROVALS: ReadonlySet<string> = new Set()

/** Replaces the file atomically, because another process may read it. */
function writeApprovals(file: string, approvals: ReadonlySet<string>): void {
  const allowed = [...approvals].map((key) => JSON.parse(key) as unknown)
  const temporary = `${file}.new`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(temporary, `${JSON.stringify({ version: VERSION, allowed }, null, 2)}\n`, { mode: 0o600 })
    renameSync(temporary, file)
  } catch (cause) {
    throw troupeError('store_unavailable', `${file}: the answer cannot be saved: ${String(cause)}.`, {
      cause,
    })
  }
}
