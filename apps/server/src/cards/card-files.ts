import { createHash, randomUUID } from 'node:crypto'
import { readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { troupeError, type TroupeError } from '@troupe/schema'
import type { ServedHost } from '../runs/served-runner.ts'

/** The text of a card file. */
export interface EditableCard {
  /** Path without symbolic links, so that a write replaces the file itself. */
  readonly path: string
  readonly text: string
  /** Hash of the text. */
  readonly version: string
}

/** Reads a card from a local file. */
export async function readCardFile(file: string): Promise<EditableCard> {
  const path = await realpath(file)
  const text = await readFile(path, 'utf8')
  return { path, text, version: createHash('sha256').update(text).digest('base64url').slice(0, 22) }
}

/** Writes card files and reloads the team, one edit after the other. */
export interface CardWriter {
  /** Runs an edit after those before it have ended. */
  inOrder<T>(edit: () => Promise<T>): Promise<T>
  /**
   * Writes the text and reloads the team. If the team rejects the edit, restores the file and rejects with the
   * problem.
   */
  write(before: EditableCard, text: string): Promise<void>
}

type ReloadedHost = Pick<ServedHost, 'reload'>

/** Creates a writer of the cards of a host. `onReplaced` gets the text that an edit has replaced. */
export function createCardWriter(
  host: ReloadedHost,
  { onReplaced }: { onReplaced(card: EditableCard): void },
): CardWriter {
  let last: Promise<unknown> = Promise.resolve()
  return {
    inOrder(edit) {
      const done = last.then(edit)
      last = done.catch(() => undefined) // The caller gets the error, and the next edit runs anyway.
      return done
    },
    async write(before, text) {
      await writeCardFile(before, text)
      const { outcome, problems } = await host.reload()
      if (outcome !== 'kept') {
        if (text !== before.text) onReplaced(before)
        return
      }
      await writeCardFile(before, before.text)
      await host.reload()
      throw toEditError(problems)
    },
  }
}

/** Creates the error for an edit that the team rejects. */
export function toEditError([problem]: Awaited<ReturnType<ReloadedHost['reload']>>['problems']): TroupeError {
  if (problem === undefined)
    return troupeError('card_edit_refused', 'The team cannot be loaded with this edit.')
  const { code, message, fix } = problem
  return troupeError(code, message, fix === undefined ? {} : { fix })
}

/** Replaces the text of a card atomically. The file keeps its permissions. */
async function writeCardFile({ path }: EditableCard, text: string): Promise<void> {
  const { mode } = await stat(path)
  const temporaryPath = `${path}.${randomUUID()}.tmp`
  try {
    await writeFile(temporaryPath, text, { mode, flag: 'wx' })
    await rename(temporaryPath, path)
  } finally {
    await rm(temporaryPath, { force: true })
  }
}
