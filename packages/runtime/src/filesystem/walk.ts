import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fsProblem } from './fs-problem.ts'
import type { Place, RootFolder } from './root-folder.ts'

/** Folders that are listed but not entered, because they contain generated files. */
const SKIPPED: ReadonlySet<string> = new Set(['.git', 'node_modules'])

/** An entry of a folder. Links have their own kind and are not followed. */
export interface WalkEntry {
  readonly place: Place
  readonly kind: 'file' | 'folder' | 'link' | 'other'
  /** 1 for a direct member of the start folder. */
  readonly depth: number
}

/**
 * Walks everything below a folder, sorted by name, each folder before its members. Folders below it that
 * disappear or cannot be opened are skipped.
 */
export async function* walk(
  root: RootFolder,
  start: Place,
  options: { readonly maxDepth: number; readonly signal: AbortSignal },
): AsyncGenerator<WalkEntry> {
  yield* members(await namesIn(root, start), { root, above: start, depth: 1, ...options })
}

interface Level {
  readonly root: RootFolder
  readonly above: Place
  readonly depth: number
  readonly maxDepth: number
  readonly signal: AbortSignal
}

async function* members(entries: readonly Dirent[], level: Level): AsyncGenerator<WalkEntry> {
  const { root, above, depth, maxDepth, signal } = level
  for (const entry of entries) {
    signal.throwIfAborted()
    const place = memberOf(above, entry.name)
    const kind = kindOf(entry)
    yield { place, kind, depth }
    if (kind !== 'folder' || depth >= maxDepth || SKIPPED.has(entry.name)) continue
    const below = await namesIn(root, place).catch(() => NOTHING)
    yield* members(below, { ...level, above: place, depth: depth + 1 })
  }
}

/** Result for a folder that disappeared or cannot be opened. */
const NOTHING: readonly Dirent[] = []

async function namesIn(root: RootFolder, place: Place): Promise<readonly Dirent[]> {
  const folder = await root.openFolder(place)
  try {
    const entries = await readdir(folder.member('.'), { withFileTypes: true })
    return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  } catch (thrown) {
    throw fsProblem(thrown, place.shown)
  } finally {
    await folder.close()
  }
}

function memberOf(above: Place, name: string): Place {
  return { real: join(above.real, name), shown: above.shown === '.' ? name : `${above.shown}/${name}` }
}

function kindOf(entry: Dirent): WalkEntry['kind'] {
  if (entry.isSymbolicLink()) return 'link'
  if (entry.isDirectory()) return 'folder'
  return entry.isFile() ? 'file' : 'other'
}
