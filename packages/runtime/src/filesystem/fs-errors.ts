import { errorMessage, troupeError, TroupeError } from '@troupe/schema'

const WORDS: ReadonlyMap<string | undefined, string> = new Map([
  ['ENOENT', 'does not exist'],
  ['ENOTDIR', 'does not exist: something on the way to it is no folder'],
  ['EISDIR', 'is a folder'],
  ['EACCES', 'may not be opened'],
  ['EPERM', 'may not be opened'],
  ['EEXIST', 'exists already'],
  ['ELOOP', 'is a link that leads nowhere or was changed meanwhile'],
  ['ENAMETOOLONG', 'has too long a name'],
  ['ENOSPC', 'does not fit: the disk is full'],
  ['EROFS', 'lies on a disk that cannot be written'],
])

/** Converts a file system error to one that a model can act on and that shows the path as `shown`. */
export function toFsError(thrown: unknown, shown: string): TroupeError {
  if (TroupeError.isInstance(thrown)) return thrown
  const code = (thrown as { readonly code?: string } | undefined)?.code
  const words = WORDS.get(code) ?? `cannot be used: ${code ?? errorMessage(thrown)}`
  return troupeError('filesystem_failed', `${JSON.stringify(shown)} ${words}.`, { cause: thrown })
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
