import { readFileSync } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'

/**
 * Matches quoted relative paths, as in `from './words.ts'`. A false match only costs reading one more file.
 */
const RELATIVE = /['"`](\.{1,2}\/[^'"`\n]+\.(?:[cm]?[jt]s|json))['"`]/gu
const MOST_FILES = 500

/**
 * Returns the text of a module and of everything it imports by relative paths, directly or indirectly. The
 * module is first. Unreadable files are omitted.
 */
export function moduleFiles(file: string): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  const waiting = [file]
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    if (texts.has(path) || texts.size >= MOST_FILES) continue
    const text = readSource(path)
    if (text === undefined) continue
    texts.set(path, text)
    waiting.push(...importedFrom(path, text))
  }
  return texts
}

/** Returns the quoted relative paths in a module, resolved. The files may not exist. */
export function importedFrom(path: string, text: string): readonly string[] {
  const folder = dirname(path)
  return [...text.matchAll(RELATIVE)].flatMap(([, way]) => (way === undefined ? [] : [resolve(folder, way)]))
}

function readSource(path: string): string | undefined {
  if (path.includes(`${sep}node_modules${sep}`)) return undefined
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // The import reports the error.
    return undefined
  }
}
