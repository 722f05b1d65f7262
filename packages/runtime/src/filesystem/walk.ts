import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fsProblem } from './fs-problem.ts'
import type { Place, RootFolder } from './root-folder.ts'

/** Folders that are shown and not gone into: they hold what tools made. */
const SKIPPED: ReadonlySet<string> = new Set(['.git', 'node_modules'])

/** One member of a folder. A link is no folder and no file: it is shown and not followed. */
export interface WalkEntry {
  readonly place: Place
  readonly kind: 'file' | 'folder' | 'link' | 'other'
  /** 1 for a member of the folder the walk began in. */
  readonly depth: number
}

/** All that lies below a folder, by name, each folder before its members. What vanishes or may not be opened meanwhile is left out, but for the first folder. */
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

/** Gone or closed meanwhile: a walk shows what it finds. */
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
