import { lstat, mkdir, open, rename, rm, link as linkFile } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { sha256Hex } from '@troupe/schema'
import { fsProblem, unusable } from './fs-problem.ts'
import { NEW_FILE, shownPath, type OpenFolder, type Place, type RootFolder } from './root-folder.ts'

/** What a file is to hold. */
export interface NewContent {
  readonly bytes: Uint8Array
  /** Names the file it is written to first; the same for no two calls. */
  readonly key: string
  readonly mustBeNew: boolean
}

/**
 * Puts a file in place as a whole: readers see the old content or the new one, and a crash leaves either. Makes the folders it needs.
 * Everything happens in a folder that is held open, so none that is swapped for a link meanwhile leads outside. True: it was not there before.
 */
export async function replaceFile(root: RootFolder, place: Place, content: NewContent): Promise<boolean> {
  const parent = await openParent(root, place)
  try {
    return await putIn(parent, basename(place.real), content)
  } catch (thrown) {
    throw fsProblem(thrown, place.shown)
  } finally {
    await parent.close()
  }
}

async function putIn(parent: OpenFolder, name: string, content: NewContent): Promise<boolean> {
  const target = parent.member(name)
  const temporary = parent.member(`.${sha256Hex(content.key).slice(0, 16)}.tmp`)
  const mode = await modeOf(target, name)
  await rm(temporary, { force: true })
  try {
    await writeNew(temporary, content.bytes, mode)
    if (content.mustBeNew) await linkFile(temporary, target)
    else await rename(temporary, target)
  } finally {
    await rm(temporary, { force: true })
  }
  return mode === undefined
}

async function writeNew(path: string, bytes: Uint8Array, mode: number | undefined): Promise<void> {
  const handle = await open(path, NEW_FILE, 0o666)
  try {
    await handle.writeFile(bytes)
    if (mode !== undefined) await handle.chmod(mode)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** The permissions of the file that is replaced; undefined: there is none. */
async function modeOf(target: string, name: string): Promise<number | undefined> {
  const stats = await lstat(target).catch((thrown: unknown) => {
    if ((thrown as { readonly code?: unknown }).code === 'ENOENT') return undefined
    throw thrown
  })
  if (stats === undefined) return undefined
  if (stats.isDirectory()) throw unusable(name, 'is a folder')
  if (!stats.isFile()) throw unusable(name, 'is a link that leads nowhere, or no regular file')
  return stats.mode & 0o777
}

/** Opens the folder of a place segment by segment from the root, and makes what is missing. */
async function openParent(root: RootFolder, place: Place): Promise<OpenFolder> {
  const base = await root.real()
  const segments = relative(base, dirname(place.real))
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
      throw fsProblem(thrown, next.shown)
    }
  }
  return folder
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path)
  } catch (thrown) {
    // what is there is opened next, which finds out whether it is a folder
    if ((thrown as { readonly code?: unknown }).code !== 'EEXIST') throw thrown
  }
}
