import { isAbsolute, relative, sep } from 'node:path'

/**
 * Returns true for the folder itself and for everything below it. Compares whole segments: `/root-evil` is
 * not in `/root`. Both paths must be absolute.
 */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
