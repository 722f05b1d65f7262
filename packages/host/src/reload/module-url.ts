import { createHash } from 'node:crypto'
import { pathToFileURL } from 'node:url'
import { moduleFiles } from './module-files.ts'

/**
 * What each module of this process held when it was first asked for, with what it imports. The platform keeps a module by its URL for as
 * long as the process lives, whoever imported it, so this is as wide as that.
 */
const FIRST = new Map<string, string>()

/** The URL of a module as it is now: that of its file for what was there first, another one for each content that came after it. */
export function moduleUrl(file: string): string {
  const { href } = pathToFileURL(file)
  const now = digestOf(file)
  const first = FIRST.get(file)
  if (first === now) return href
  if (first !== undefined) return `${href}?changed=${now}`
  // those it imports come with it: the platform has them from now on
  for (const path of moduleFiles(file).keys()) if (!FIRST.has(path)) FIRST.set(path, digestOf(path))
  FIRST.set(file, now)
  return href
}

function digestOf(file: string): string {
  const hash = createHash('sha256')
  for (const [path, text] of moduleFiles(file)) hash.update(`${path}\0${text.length}\0${text}`)
  return hash.digest('hex').slice(0, 16)
}
