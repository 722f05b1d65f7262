import { readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { decodeText, readBytes } from '../filesystem/read-bytes.ts'
import type { Filesystem } from '../filesystem/filesystem.ts'
import { deniedError, toFsError, unusableError } from '../filesystem/fs-errors.ts'
import { replaceFile } from '../filesystem/replace-file.ts'
import { shownPath, type FileLocation } from '../filesystem/root-folder.ts'

/** Maximum size of a note in bytes, and of a folder in notes. */
const MAX_NOTE_BYTES = 64 * 1024
const MAX_NOTES = 500

const NAME = /^[\p{L}\p{N}_][\p{L}\p{N} _.-]{0,99}$/u
const ENDING = '.md'

/** Markdown files of an agent in one folder, which people can read and edit too. */
export interface MemoryFolder {
  /** Returns the file names in alphabetical order. */
  list(): Promise<readonly { readonly name: string; readonly bytes: number }[]>
  /** Returns the text of a note. Throws `filesystem_failed` if there is none. */
  read(name: string): Promise<string>
  /** Creates or replaces a note. `key` is unique per call. Returns its path. */
  write(name: string, text: string, key: string): Promise<string>
  remove(name: string): Promise<void>
}

/** Creates the memory in a folder, relative to the root folder, that need not exist yet. */
export function createMemoryFolder(files: Filesystem, folder: string): MemoryFolder {
  async function locateNote(name: string): Promise<FileLocation> {
    const { real } = await files.root.locate(folder)
    const wanted = join(real, noteName(name))
    const location = await files.root.locate(wanted)
    if (location.real === wanted) return location
    throw deniedError(shownPath(await files.root.real(), wanted), 'is a link')
  }

  async function locateChangeable(name: string): Promise<FileLocation> {
    const location = await locateNote(name)
    const why = (await files.guard()).whyNotWrite(location.real)
    if (why !== undefined) throw deniedError(location.shown, `${why}, where notes are never changed`)
    return location
  }

  async function list(): Promise<Awaited<ReturnType<MemoryFolder['list']>>> {
    const { real } = await files.root.locate(folder)
    const entries = await readdir(real, { withFileTypes: true }).catch((thrown: unknown) => {
      if ((thrown as { readonly code?: unknown }).code === 'ENOENT') return []
      throw toFsError(thrown, folder)
    })
    const names = entries
      .filter((entry) => entry.isFile() && entry.name.endsWith(ENDING) && NAME.test(entry.name))
      .map(({ name }) => name)
      .toSorted()
      .slice(0, MAX_NOTES)
    return Promise.all(names.map(async (name) => ({ name, bytes: await sizeOf(files, join(real, name)) })))
  }

  return {
    list,
    read: async (name) => {
      const location = await locateNote(name)
      const text = decodeText((await readBytes(files, location.real)).bytes)
      if (text === undefined) throw unusableError(location.shown, 'is not UTF-8 text')
      return text
    },
    write: async (name, text, key) => {
      const location = await locateChangeable(name)
      const bytes = Buffer.from(text)
      if (bytes.length > MAX_NOTE_BYTES)
        throw unusableError(
          location.shown,
          `would have ${bytes.length} bytes; the limit is ${MAX_NOTE_BYTES} bytes`,
          'Write several shorter notes.',
        )
      const notes = await list()
      if (notes.length >= MAX_NOTES && notes.every((note) => note.name !== noteName(name)))
        throw unusableError(location.shown, `would be one note more than ${MAX_NOTES}`, 'Delete old notes.')
      await replaceFile(files.root, location, { bytes, key, mustBeNew: false })
      return location.shown
    },
    remove: async (name) => {
      const location = await locateChangeable(name)
      const parent = await files.root.openFolder(await files.root.locate(folder))
      try {
        await rm(parent.member(basename(location.real)))
      } catch (thrown) {
        throw toFsError(thrown, location.shown)
      } finally {
        await parent.close()
      }
    },
  }
}

async function sizeOf({ root }: Filesystem, path: string): Promise<number> {
  const handle = await root.openFile(await root.locate(path))
  try {
    return (await handle.stat()).size
  } finally {
    await handle.close()
  }
}

/** Returns the file name of a note, with the ending `.md`. Throws `filesystem_denied` if it is not allowed. */
export function noteName(name: string): string {
  const file = name.toLowerCase().endsWith(ENDING) ? name.slice(0, -ENDING.length) + ENDING : name + ENDING
  if (NAME.test(file)) return file
  throw deniedError(
    name,
    'is not the name of a note',
    'Use letters, digits, spaces, `_`, `-` and `.`, without folders.',
  )
}
