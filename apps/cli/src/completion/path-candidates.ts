import { readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Candidate } from './candidate.ts'

/**
 * Returns folders, and files that `accepts` allows, that start with the word. Hidden ones are included only
 * if the word starts with a dot.
 */
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

/** Expands `~`, which the shell has not done yet while the word is being typed. */
function fromHome(folder: string, home: string | undefined): string {
  return home !== undefined && folder.startsWith('~/') ? join(home, folder.slice(2)) : folder
}

interface FolderEntry {
  readonly name: string
  readonly isFolder: boolean
}

function namesIn(folder: string): readonly FolderEntry[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .map((entry) => ({
        name: entry.name,
        isFolder: entry.isDirectory() || (entry.isSymbolicLink() && isFolder(join(folder, entry.name))),
      }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    // A missing or unreadable folder has no completions.
    return []
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
