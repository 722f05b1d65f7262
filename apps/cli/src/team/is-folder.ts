import { statSync } from 'node:fs'

/** True for a folder; what is not there is none. */
export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
