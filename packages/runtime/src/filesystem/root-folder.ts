import { constants, existsSync } from 'node:fs'
import { open, readlink, realpath, stat, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { deniedError, missingError, toFsError, unusableError } from './fs-errors.ts'
import { isInside } from '@troupe/schema/paths'

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants

/** A path inside the root folder. */
export interface FileLocation {
  /** Absolute path with all existing links resolved. */
  readonly real: string
  /** Path relative to the root, with `/`, as shown to people and models. */
  readonly shown: string
}

/** An open folder. Its members stay reachable by path if the folder is renamed or replaced meanwhile. */
export interface OpenFolder {
  member(name: string): string
  close(): Promise<void>
}

/**
 * The folder that file tools and the shell are confined to. Every path is resolved with its links, compared
 * by segments, opened without following a link, and checked again on the open file, so that swapping in a
 * link between the steps does not escape the root.
 */
export interface RootFolder {
  /**
   * Returns the folder with its links resolved. Throws `filesystem_failed` if it does not exist or is not a
   * folder.
   */
  real(): Promise<string>
  /** Resolves a path, which need not exist. Throws `filesystem_denied` if it is outside the root. */
  locate(path: string): Promise<FileLocation>
  /** Opens an existing file or folder for reading. */
  openFile(location: FileLocation): Promise<FileHandle>
  openFolder(location: FileLocation): Promise<OpenFolder>
}

/**
 * Linux has paths for open files and folders. On other systems a folder is only checked when it is opened.
 */
const HAS_HANDLE_PATHS = existsSync('/proc/self/fd')

/**
 * Creates the root folder for a path, which is resolved on first use. Errors about files show `name` instead of
 * the path, because models read them.
 */
export function createRootFolder(path: string, name = 'the root folder of the file tools'): RootFolder {
  let found: Promise<string> | undefined

  async function find(): Promise<string> {
    try {
      const real = await realpath(path)
      if ((await stat(real)).isDirectory()) return real
    } catch (thrown) {
      throw toFsError(thrown, path)
    }
    throw unusableError(path, 'is not a folder, so the file tools cannot use it')
  }

  async function real(): Promise<string> {
    // A folder that is missing now may exist at the next call.
    found ??= find().catch((thrown: unknown) => {
      found = undefined
      throw thrown
    })
    return found
  }

  async function openInside(location: FileLocation, flags: number): Promise<FileHandle> {
    const handle = await open(location.real, flags | O_NOFOLLOW).catch((thrown: unknown) => {
      if ((thrown as { readonly code?: unknown }).code === 'ENOENT')
        throw missingError(thrown, location.shown, name)
      throw toFsError(thrown, location.shown)
    })
    try {
      if ((await pathOf(handle, location.real)) === location.real) return handle
      throw deniedError(location.shown, 'was moved or replaced during the call')
    } catch (thrown) {
      await handle.close()
      throw toFsError(thrown, location.shown)
    }
  }

  return {
    real,
    locate: async (wanted) => locate(wanted, { given: path, real: await real() }),
    openFile: (location) => openInside(location, O_RDONLY | O_NONBLOCK),
    openFolder: async (location) => toFolder(await openInside(location, O_RDONLY | O_DIRECTORY), location),
  }
}

/** Flags that create a file and fail if it exists. */
export const NEW_FILE: number = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW

async function locate(
  wanted: string,
  root: { readonly given: string; readonly real: string },
): Promise<FileLocation> {
  if (wanted.includes('\0')) throw deniedError(wanted, 'contains a NUL character')
  const absolute = resolve(root.real, wanted)
  const inRoot = isInside(root.given, absolute) ? join(root.real, relative(root.given, absolute)) : absolute
  // Reject paths outside the root before any access to the file system.
  if (!isInside(root.real, inRoot)) throw outsideError(wanted)
  const real = await realPath(inRoot).catch((thrown: unknown) => {
    throw toFsError(thrown, wanted)
  })
  if (!isInside(root.real, real)) throw outsideError(wanted)
  return { real, shown: shownPath(root.real, real) }
}

function outsideError(wanted: string): Error {
  return deniedError(
    wanted,
    'is outside the root folder of the file tools',
    'Use a path inside the root folder. Relative paths start there.',
  )
}

/** Returns the path relative to the root, for display. */
export function shownPath(root: string, real: string): string {
  return relative(root, real).replaceAll(sep, '/') || '.'
}

/** Resolves the links of the part of the path that exists. */
async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (thrown) {
    const { code } = thrown as { readonly code?: unknown }
    if ((code !== 'ENOENT' && code !== 'ENOTDIR') || dirname(path) === path) throw thrown
    return join(await realPath(dirname(path)), basename(path))
  }
}

function toFolder(handle: FileHandle, { real }: FileLocation): OpenFolder {
  const base = handlePath(handle)
  return {
    // Systems without paths for open folders have only the folder's name.
    member: (name) => join(HAS_HANDLE_PATHS ? base : real, name),
    close: () => handle.close(),
  }
}

function handlePath({ fd }: FileHandle): string {
  return `/proc/self/fd/${fd}`
}

/** Returns the current path of an open file or folder. */
async function pathOf(handle: FileHandle, opened: string): Promise<string> {
  if (HAS_HANDLE_PATHS) return readlink(handlePath(handle))
  const real = await realpath(opened)
  const [held, named] = await Promise.all([handle.stat({ bigint: true }), stat(real, { bigint: true })])
  if (held.ino !== named.ino || held.dev !== named.dev)
    throw deniedError(basename(opened), 'was changed during the call')
  return real
}
