import { statSync } from 'node:fs'

/** Returns true for a folder or a link to one; false if the path does not exist. */
export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
