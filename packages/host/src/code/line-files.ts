import { appendFile, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, resolve } from 'node:path'
import { troupeError } from '@troupe/schema'
import { isBelow } from '@troupe/schema/paths'

/** Files that hooks append lines to. */
export interface LineFiles {
  /**
   * Returns a function that appends lines to a file in the folder of a card, in the order of the calls.
   * Throws if the file is outside the folder; the function rejects if the file cannot be written.
   */
  open(file: string, folder: string): (line: string) => Promise<void>
}

/** Creates the line files of one host. Hooks of several agents may append to the same file. */
export function createLineFiles(): LineFiles {
  const last = new Map<string, Promise<void>>()
  return {
    open: (file, folder) => {
      const path = resolve(folder, file)
      if (isAbsolute(file) || !isBelow(folder, path)) throw outsideFolderError(file)
      return (line) => {
        const before = last.get(path) ?? Promise.resolve()
        const writing = before.then(
          () => append({ path, file, folder }, line),
          () => append({ path, file, folder }, line),
        )
        last.set(path, writing)
        return writing.finally(() => {
          if (last.get(path) === writing) last.delete(path)
        })
      }
    },
  }
}

async function append(
  { path, file, folder }: { readonly path: string; readonly file: string; readonly folder: string },
  line: string,
): Promise<void> {
  const root = await realpath(folder)
  if (!isBelow(root, await realTarget(path))) throw outsideFolderError(file)
  await appendFile(path, `${line}\n`, { mode: 0o600 })
}

/** Resolves symbolic links in the path of a file that may not exist yet. */
async function realTarget(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (thrown) {
    if ((thrown as { readonly code?: unknown }).code !== 'ENOENT') throw thrown
    return resolve(await realpath(dirname(path)), basename(path))
  }
}

function outsideFolderError(file: string): Error {
  return troupeError('hook_bad_option', `\`file\`: ${file} is outside the folder of the card`)
}
