import { isAbsolute, relative, sep } from 'node:path'

/** True for the folder itself and for everything below it, by whole segments: `/root-evil` is not in `/root`. Both absolute. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
