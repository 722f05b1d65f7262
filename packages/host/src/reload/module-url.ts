import { createHash } from 'node:crypto'
import { pathToFileURL } from 'node:url'
import { moduleFiles } from './module-files.ts'

/**
 * Digest of each module and its imports when it was first requested. Module-level because Node caches modules
 * by URL for the lifetime of the process.
 */
const FIRST = new Map<string, string>()

/**
 * Returns the URL of a module for its current content: the file URL for the first content, and a different
 * URL for each later one.
 */
export function moduleUrl(file: string): string {
  const { href } = pathToFileURL(file)
  const now = digestOf(file)
  const first = FIRST.get(file)
  if (first === now) return href
  if (first !== undefined) return `${href}?changed=${now}`
  // Node also caches the imported modules from now on.
  for (const path of moduleFiles(file).keys()) if (!FIRST.has(path)) FIRST.set(path, digestOf(path))
  FIRST.set(file, now)
  return href
}

function digestOf(file: string): string {
  const hash = createHash('sha256')
  for (const [path, text] of moduleFiles(file)) hash.update(`${path}\0${text.length}\0${text}`)
  return hash.digest('hex').slice(0, 16)
}
