import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isJsonObject, troupeError } from '@troupe/schema'

/** A tool of an agent, as somebody was asked about it. */
export interface AnsweredTool {
  readonly principal: string
  /** The file of the agent, or what names it where there is none. */
  readonly card: string
  readonly tool: string
}

/** The tools that may run without asking, for good. */
export interface AlwaysAnswers {
  has(tool: AnsweredTool): boolean
  add(tool: AnsweredTool): Promise<void>
}

const VERSION = 1

/** Where an app keeps them in the folder of its state. */
export function answersFile(stateFolder: string): string {
  return join(stateFolder, 'approvals.json')
}

/**
 * Keeps them in a file for this user alone, which may be edited by hand; without one as long as the host lives. A file that is no longer what it was is read
 * anew for every question, as they are rare. One that cannot be read allows nothing.
 */
export function createAlwaysAnswers(file: string | undefined): AlwaysAnswers {
  const inMemory = new Set<string>()
  const read = (): ReadonlySet<string> => (file === undefined ? inMemory : readAnswers(file))
  return {
    has: (tool) => read().has(keyOf(tool)),
    add: async (tool) => {
      const key = keyOf(tool)
      if (file === undefined) inMemory.add(key)
      else writeAnswers(file, new Set([...readAnswers(file), key]))
    },
  }
}

function keyOf({ principal, card, tool }: AnsweredTool): string {
  return JSON.stringify([principal, card, tool])
}

function readAnswers(file: string): ReadonlySet<string> {
  try {
    const kept: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (!isJsonObject(kept) || !Array.isArray(kept['allowed'])) return NOTHING
    return new Set(kept['allowed'].map((entry) => JSON.stringify(entry)))
  } catch {
    // there is none yet, or it is damaged: then persons are asked again
    return NOTHING
  }
}

const NOTHING: ReadonlySet<string> = new Set()

/** Whole or not at all: another process may read it. */
function writeAnswers(file: string, answers: ReadonlySet<string>): void {
  const allowed = [...answers].map((key) => JSON.parse(key) as unknown)
  const next = `${file}.new`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(next, `${JSON.stringify({ version: VERSION, allowed }, null, 2)}\n`, { mode: 0o600 })
    renameSync(next, file)
  } catch (cause) {
    throw troupeError('store_unavailable', `${file}: the answer cannot be kept: ${String(cause)}.`, { cause })
  }
}
