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

/** What went wrong with a path, in the words a model can act on, without paths of the machine. */
export function fsProblem(thrown: unknown, shown: string): TroupeError {
  if (TroupeError.isInstance(thrown)) return thrown
  const code = (thrown as { readonly code?: string } | undefined)?.code
  const words = WORDS.get(code) ?? `cannot be used: ${code ?? errorMessage(thrown)}`
  return troupeError('filesystem_failed', `${JSON.stringify(shown)} ${words}.`, { cause: thrown })
}

/** The same for a path that may not be touched. */
export function refused(shown: string, why: string, fix?: string): TroupeError {
  return troupeError(
    'filesystem_denied',
    `${JSON.stringify(shown)} ${why}.`,
    fix === undefined ? {} : { fix },
  )
}

/** The same for a path that is there and cannot serve. */
export function unusable(shown: string, why: string, fix?: string): TroupeError {
  return troupeError(
    'filesystem_failed',
    `${JSON.stringify(shown)} ${why}.`,
    fix === undefined ? {} : { fix },
  )
}
