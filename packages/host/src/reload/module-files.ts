import { readFileSync } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'

/** A quoted relative path, as in `from './words.ts'`. What is no import costs a look at a file, and no more. */
const RELATIVE = /['"`](\.{1,2}\/[^'"`\n]+\.(?:[cm]?[jt]s|json))['"`]/gu
const MOST_FILES = 500

/** The text of a module and of all that it imports by a relative path, at any distance; itself first. What cannot be read is left out. */
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

/** The quoted relative paths of a module, as paths of files that may not be there. */
export function importedFrom(path: string, text: string): readonly string[] {
  const folder = dirname(path)
  return [...text.matchAll(RELATIVE)].flatMap(([, way]) => (way === undefined ? [] : [resolve(folder, way)]))
}

function readSource(path: string): string | undefined {
  if (path.includes(`${sep}node_modules${sep}`)) return undefined
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // importing it will say what is wrong
    return undefined
  }
}
