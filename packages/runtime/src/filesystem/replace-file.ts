import { lstat, mkdir, open, rename, rm, link as linkFile } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { sha256Hex } from '@troupe/schema/json'
import { toFsError, unusableError } from './fs-errors.ts'
import { NEW_FILE, shownPath, type OpenFolder, type FileLocation, type RootFolder } from './root-folder.ts'

/** New content of a file. */
interface NewContent {
  readonly bytes: Uint8Array
  /** Determines the name of the temporary file; unique per call. */
  readonly key: string
  readonly mustBeNew: boolean
}

/**
 * Replaces a file atomically: readers see the old content or the new one, also after a crash. Creates missing
 * folders. Returns true if the file is new.
 * Works relative to an open folder handle, so that a folder replaced by a link meanwhile cannot lead outside
 * the root.
 */
export async function replaceFile(
  root: RootFolder,
  location: FileLocation,
  content: NewContent,
): Promise<boolean> {
  const parent = await openParent(root, location)
  try {
    return await replaceInFolder(parent, basename(location.real), content)
  } catch (thrown) {
    throw toFsError(thrown, location.shown)
  } finally {
    await parent.close()
  }
}

async function replaceInFolder(parent: OpenFolder, name: string, content: NewContent): Promise<boolean> {
  const target = parent.member(name)
  const temporary = parent.member(`.${sha256Hex(content.key).slice(0, 16)}.tmp`)
  const mode = await modeOf(target, name)
  await rm(temporary, { force: true })
  try {
    await writeNewFile(temporary, content.bytes, mode)
    if (content.mustBeNew) await linkFile(temporary, target)
    else await rename(temporary, target)
  } finally {
    await rm(temporary, { force: true })
  }
  return mode === undefined
}

async function writeNewFile(path: string, bytes: Uint8Array, mode: number | undefined): Promise<void> {
  const handle = await open(path, NEW_FILE, 0o666)
  try {
    await handle.writeFile(bytes)
    if (mode !== undefined) await handle.chmod(mode)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Returns the permission bits of the file to replace, or `undefined` if there is none. */
async function modeOf(target: string, name: string): Promise<number | undefined> {
  const stats = await lstat(target).catch((thrown: unknown) => {
    if ((thrown as { readonly code?: unknown }).code === 'ENOENT') return undefined
    throw thrown
  })
  if (stats === undefined) return undefined
  if (stats.isDirectory()) throw unusableError(name, 'is a folder')
  if (!stats.isFile()) throw unusableError(name, 'is a broken link or not a regular file')
  return stats.mode & 0o777
}

/** Opens the parent folder of a path segment by segment from the root, and creates missing folders. */
async function openParent(root: RootFolder, location: FileLocation): Promise<OpenFolder> {
  const base = await root.real()
  const segments = relative(base, dirname(location.real))
    .split(sep)
    .filter((segment) => segment !== '')
  let real = base
  let folder = await root.openFolder({ real, shown: '.' })
  for (const segment of segments) {
    real = join(real, segment)
    const next = { real, shown: shownPath(base, real) }
    try {
      await makeFolder(folder.member(segment))
      const opened = await root.openFolder(next)
      await folder.close()
      folder = opened
    } catch (thrown) {
      await folder.close()
      throw toFsError(thrown, next.shown)
    }
  }
  return folder
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path)
  } catch (thrown) {
    // Opening it next fails if it is not a folder.
    if ((thrown as { readonly code?: unknown }).code !== 'EEXIST') throw thrown
  }
}
