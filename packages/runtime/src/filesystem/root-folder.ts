import { constants, existsSync } from 'node:fs'
import { open, readlink, realpath, stat, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { fsProblem, refused, unusable } from './fs-problem.ts'
import { isInside } from './inside.ts'

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants

/** A path below a root. */
export interface Place {
  /** Absolute, all links that exist followed. */
  readonly real: string
  /** Relative to the root, with `/`: what people and models see. */
  readonly shown: string
}

/** An open folder, and the path by which its members are reached even when somebody renames or replaces the folder meanwhile. */
export interface OpenFolder {
  member(name: string): string
  close(): Promise<void>
}

/**
 * The one folder that file tools and the shell work in. Every path is resolved with its links, compared by segments, opened without
 * following a link, and checked once more on the open file: a link that is swapped in between leads nowhere (S14).
 */
export interface RootFolder {
  /** The folder with its links followed. Throws `filesystem_failed` when there is none. */
  real(): Promise<string>
  /** Throws `filesystem_denied` for a path outside. What does not exist is a place too. */
  locate(path: string): Promise<Place>
  /** Opens what is there, for reading. */
  openFile(place: Place): Promise<FileHandle>
  openFolder(place: Place): Promise<OpenFolder>
}

/** Linux names open files and folders; where this is missing, a folder is only checked before and after it is used. */
const HAS_HANDLE_PATHS = existsSync('/proc/self/fd')

/** The root of that path; the folder is looked up when it is first used. */
export function createRootFolder(path: string): RootFolder {
  let found: Promise<string> | undefined

  async function find(): Promise<string> {
    try {
      const real = await realpath(path)
      if ((await stat(real)).isDirectory()) return real
    } catch (thrown) {
      throw fsProblem(thrown, path)
    }
    throw unusable(path, 'is no folder, so file tools have nothing to work in')
  }

  async function real(): Promise<string> {
    // a folder that is missing now may be there for the next call
    found ??= find().catch((thrown: unknown) => {
      found = undefined
      throw thrown
    })
    return found
  }

  async function openInside(place: Place, flags: number): Promise<FileHandle> {
    const handle = await open(place.real, flags | O_NOFOLLOW).catch((thrown: unknown) => {
      throw fsProblem(thrown, place.shown)
    })
    try {
      if ((await pathOf(handle, place.real)) === place.real) return handle
      throw refused(place.shown, 'was moved or replaced meanwhile')
    } catch (thrown) {
      await handle.close()
      throw fsProblem(thrown, place.shown)
    }
  }

  return {
    real,
    locate: async (wanted) => locate(wanted, { given: path, real: await real() }),
    openFile: (place) => openInside(place, O_RDONLY | O_NONBLOCK),
    openFolder: async (place) => toFolder(await openInside(place, O_RDONLY | O_DIRECTORY), place),
  }
}

/** Flags for a file that must not be there yet. */
export const NEW_FILE: number = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW

async function locate(
  wanted: string,
  root: { readonly given: string; readonly real: string },
): Promise<Place> {
  if (wanted.includes('\0')) throw refused(wanted, 'holds a NUL character')
  const absolute = resolve(root.real, wanted)
  const inRoot = isInside(root.given, absolute) ? join(root.real, relative(root.given, absolute)) : absolute
  // nothing outside is even looked at
  if (!isInside(root.real, inRoot)) throw outside(wanted)
  const real = await realPath(inRoot).catch((thrown: unknown) => {
    throw fsProblem(thrown, wanted)
  })
  if (!isInside(root.real, real)) throw outside(wanted)
  return { real, shown: shownPath(root.real, real) }
}

function outside(wanted: string): Error {
  return refused(
    wanted,
    'lies outside the root folder of the file tools',
    'Use a path inside the root folder; relative paths begin there.',
  )
}

/** A path as people see it. */
export function shownPath(root: string, real: string): string {
  return relative(root, real).replaceAll(sep, '/') || '.'
}

/** With the links followed of as much of it as exists. */
async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (thrown) {
    const { code } = thrown as { readonly code?: unknown }
    if ((code !== 'ENOENT' && code !== 'ENOTDIR') || dirname(path) === path) throw thrown
    return join(await realPath(dirname(path)), basename(path))
  }
}

function toFolder(handle: FileHandle, { real }: Place): OpenFolder {
  const base = handlePath(handle)
  return {
    // where the system has no path for an open folder, its name must do
    member: (name) => join(HAS_HANDLE_PATHS ? base : real, name),
    close: () => handle.close(),
  }
}

function handlePath({ fd }: FileHandle): string {
  return `/proc/self/fd/${fd}`
}

/** Where an open file or folder lies now. */
async function pathOf(handle: FileHandle, opened: string): Promise<string> {
  if (HAS_HANDLE_PATHS) return readlink(handlePath(handle))
  const real = await realpath(opened)
  const [held, named] = await Promise.all([handle.stat({ bigint: true }), stat(real, { bigint: true })])
  if (held.ino !== named.ino || held.dev !== named.dev)
    throw refused(basename(opened), 'was changed meanwhile')
  return real
}
