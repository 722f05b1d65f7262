import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { troupeError } from '@troupe/schema'

/** File with keys, which only its owner may read. */
export const KEY_FILE = 'troupe.env'

const PRIVATE_MODE = 0o600
const PROGRAM_MODE = 0o755

/** Throws `usage_invalid` if one of the files exists in the folder. */
export function requireNewFiles(folder: string, paths: readonly string[]): void {
  const present = paths.map((path) => join(folder, path)).filter((path) => existsSync(path))
  if (present.length === 0) return
  throw troupeError(
    'usage_invalid',
    `Nothing was written, because these files already exist: ${present.join(', ')}.`,
    {
      fix: 'Choose another folder or name, or delete the file.',
    },
  )
}

/**
 * Writes new files into a folder, all or none. Throws `usage_invalid` if one of them exists. Returns their
 * paths in order.
 */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>): readonly string[] {
  requireNewFiles(folder, Object.keys(files))
  const written: string[] = []
  try {
    for (const [path, text] of Object.entries(files)) {
      const file = join(folder, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, '', { flag: 'wx', ...modeOf(path) })
      written.push(file)
      writeFileSync(file, text)
    }
  } catch (thrown) {
    for (const file of written) rmSync(file, { force: true })
    throw thrown
  }
  return written
}

function modeOf(path: string): { readonly mode?: number } {
  if (path === KEY_FILE) return { mode: PRIVATE_MODE }
  return path.endsWith('.sh') ? { mode: PROGRAM_MODE } : {}
}
