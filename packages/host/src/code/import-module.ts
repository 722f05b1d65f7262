import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { dirname, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const CHANGED_MODULE = /^file:.*\?changed=/u

/**
 * Imports a module by a URL of `moduleUrl`. If that is a changed module, its changed relative imports are
 * also loaded again, except on Bun, which has no hooks for it.
 */
export async function importModule(url: string): Promise<unknown> {
  if (!CHANGED_MODULE.test(url) || !('registerHooks' in nodeModule)) return import(/* @vite-ignore */ url)
  const hooks = nodeModule.registerHooks({
    resolve: (specifier, context, next) => {
      const found = next(specifier, context)
      const isBelow = specifier.startsWith('.') && CHANGED_MODULE.test(context.parentURL ?? '')
      return isBelow && found.url.startsWith('file:')
        ? { ...found, url: moduleUrl(fileURLToPath(found.url)) }
        : found
    },
  })
  try {
    return await import(/* @vite-ignore */ url)
  } finally {
    hooks.deregister()
  }
}

/**
 * Digest of each module and its imports when it was first requested. Module-level because Node caches modules
 * by URL for the lifetime of the process.
 */
const firstDigests = new Map<string, string>()

/**
 * Returns the URL of a module for its current content: the file URL for the first content, and a different
 * URL for each later one.
 */
export function moduleUrl(file: string): string {
  const { href } = pathToFileURL(file)
  const now = digestOf(file)
  const first = firstDigests.get(file)
  if (first === now) return href
  if (first !== undefined) return `${href}?changed=${now}`
  // Node also caches the imported modules from now on.
  for (const path of moduleFiles(file).keys())
    if (!firstDigests.has(path)) firstDigests.set(path, digestOf(path))
  firstDigests.set(file, now)
  return href
}

function digestOf(file: string): string {
  const hash = createHash('sha256')
  for (const [path, text] of moduleFiles(file)) hash.update(`${path}\0${text.length}\0${text}`)
  return hash.digest('hex').slice(0, 16)
}

/**
 * Matches quoted relative paths, as in `from './words.ts'`. A false match only costs reading one more file.
 */
const RELATIVE = /['"`](\.{1,2}\/[^'"`\n]+\.(?:[cm]?[jt]s|json))['"`]/gu
const MAX_FILES = 500

/**
 * Returns the text of a module and of everything it imports by relative paths, directly or indirectly. The
 * module is first. Unreadable files are omitted.
 */
export function moduleFiles(file: string): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  const waiting = [file]
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    if (texts.has(path) || texts.size >= MAX_FILES) continue
    const text = readSource(path)
    if (text === undefined) continue
    texts.set(path, text)
    waiting.push(...importedFrom(path, text))
  }
  return texts
}

/** Returns the quoted relative paths in a module, resolved. The files may not exist. */
function importedFrom(path: string, text: string): readonly string[] {
  const folder = dirname(path)
  return [...text.matchAll(RELATIVE)].flatMap(([, path]) =>
    path === undefined ? [] : [resolve(folder, path)],
  )
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
