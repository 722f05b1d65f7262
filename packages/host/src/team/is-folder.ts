import { statSync } from 'node:fs'

/** True for a folder, also behind a link; false for what is not there. */
export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
