// oxlint-disable-next-line no-restricted-imports -- only packages that run in Node import this entry point
import { isAbsolute, relative, sep } from 'node:path'

/**
 * Returns true if an absolute path is a folder or in it. Compares the paths as texts, so resolve links first if
 * a link must not lead out of the folder.
 */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** Returns true if an absolute path is in a folder and not the folder itself. See {@link isInside}. */
export function isBelow(folder: string, path: string): boolean {
  return relative(folder, path) !== '' && isInside(folder, path)
}
