import { readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Candidate } from './candidate.ts'

/** Folders, and files whose names `accepts` takes, that begin with the word. Hidden ones only for a word that asks for them. */
export function pathCandidates(
  word: string,
  options: { readonly cwd: string; readonly home?: string | undefined; accepts(name: string): boolean },
): readonly Candidate[] {
  const at = word.lastIndexOf('/') + 1
  const [folder, start] = [word.slice(0, at), word.slice(at)]
  return namesIn(resolve(options.cwd, fromHome(folder, options.home)))
    .filter((entry) => entry.name.startsWith(start) && (start.startsWith('.') || !entry.name.startsWith('.')))
    .filter((entry) => entry.isFolder || options.accepts(entry.name))
    .map(({ name, isFolder }) => ({ value: `${folder}${name}${isFolder ? '/' : ''}` }))
}

/** The shell expands `~` only when it runs the command. */
function fromHome(folder: string, home: string | undefined): string {
  return home !== undefined && folder.startsWith('~/') ? join(home, folder.slice(2)) : folder
}

interface Entry {
  readonly name: string
  readonly isFolder: boolean
}

function namesIn(folder: string): readonly Entry[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .map((entry) => ({
        name: entry.name,
        isFolder: entry.isDirectory() || (entry.isSymbolicLink() && isFolder(join(folder, entry.name))),
      }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    // a folder that is not there, or not ours to read, has nothing to offer
    return []
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
