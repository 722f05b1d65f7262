import { errorMessage, troupeError, TroupeError } from '@troupe/schema'

const WORDS: ReadonlyMap<string | undefined, string> = new Map([
  ['ENOENT', 'does not exist'],
  ['ENOTDIR', 'does not exist: part of the path is not a folder'],
  ['EISDIR', 'is a folder'],
  ['EACCES', 'cannot be opened: permission denied'],
  ['EPERM', 'cannot be opened: permission denied'],
  ['EEXIST', 'already exists'],
  ['ELOOP', 'is a broken link or was changed during the call'],
  ['ENAMETOOLONG', 'has a name that is too long'],
  ['ENOSPC', 'cannot be written: the disk is full'],
  ['EROFS', 'is on a read-only file system'],
])

/** Converts a file system error to one that a model can act on and that shows the path as `shown`. */
export function toFsError(thrown: unknown, shown: string): TroupeError {
  if (TroupeError.isInstance(thrown)) return thrown
  const code = (thrown as { readonly code?: string } | undefined)?.code
  const words = WORDS.get(code) ?? `cannot be used: ${code ?? errorMessage(thrown)}`
  return troupeError('filesystem_failed', `${JSON.stringify(shown)} ${words}.`, { cause: thrown })
}

/** Creates the error for a file that does not exist in a folder, which is shown by its name. */
export function missingError(cause: unknown, shown: string, folderName: string): TroupeError {
  return troupeError('filesystem_failed', `${JSON.stringify(shown)} does not exist in ${folderName}.`, {
    cause,
    fix: 'The root folder is the working folder, unless `--root` or `runtime.root` names another one.',
  })
}

/** Creates the error for a path that must not be accessed. */
export function deniedError(shown: string, why: string, fix?: string): TroupeError {
  return troupeError(
    'filesystem_denied',
    `${JSON.stringify(shown)} ${why}.`,
    fix === undefined ? {} : { fix },
  )
}

/** Creates the error for a path that exists but cannot be used. */
export function unusableError(shown: string, why: string, fix?: string): TroupeError {
  return troupeError(
    'filesystem_failed',
    `${JSON.stringify(shown)} ${why}.`,
    fix === undefined ? {} : { fix },
  )
}

/** Returns true for the error of a file that does not exist. */
export function isMissing(thrown: unknown): boolean {
  const { cause } = thrown as { readonly cause?: { readonly code?: unknown } }
  return cause?.code === 'ENOENT'
}
