import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { toFsError } from './fs-errors.ts'
import type { FileLocation, RootFolder } from './root-folder.ts'

/** Folders that are listed but not entered, because they contain generated files. */
const SKIPPED: ReadonlySet<string> = new Set(['.git', 'node_modules'])

/** An entry of a folder. Links have their own kind and are not followed. */
export interface WalkEntry {
  readonly location: FileLocation
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
  start: FileLocation,
  options: { readonly maxDepth: number; readonly signal: AbortSignal },
): AsyncGenerator<WalkEntry> {
  yield* members(await namesIn(root, start), { root, above: start, depth: 1, ...options })
}

interface WalkLevel {
  readonly root: RootFolder
  readonly above: FileLocation
  readonly depth: number
  readonly maxDepth: number
  readonly signal: AbortSignal
}

async function* members(entries: readonly Dirent[], level: WalkLevel): AsyncGenerator<WalkEntry> {
  const { root, above, depth, maxDepth, signal } = level
  for (const entry of entries) {
    signal.throwIfAborted()
    const location = memberOf(above, entry.name)
    const kind = kindOf(entry)
    yield { location, kind, depth }
    if (kind !== 'folder' || depth >= maxDepth || SKIPPED.has(entry.name)) continue
    const below = await namesIn(root, location).catch(() => NOTHING)
    yield* members(below, { ...level, above: location, depth: depth + 1 })
  }
}

/** Result for a folder that disappeared or cannot be opened. */
const NOTHING: readonly Dirent[] = []

async function namesIn(root: RootFolder, location: FileLocation): Promise<readonly Dirent[]> {
  const folder = await root.openFolder(location)
  try {
    const entries = await readdir(folder.member('.'), { withFileTypes: true })
    return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  } catch (thrown) {
    throw toFsError(thrown, location.shown)
  } finally {
    await folder.close()
  }
}

function memberOf(above: FileLocation, name: string): FileLocation {
  return { real: join(above.real, name), shown: above.shown === '.' ? name : `${above.shown}/${name}` }
}

function kindOf(entry: Dirent): WalkEntry['kind'] {
  if (entry.isSymbolicLink()) return 'link'
  if (entry.isDirectory()) return 'folder'
  return entry.isFile() ? 'file' : 'other'
}
