import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { troupeError } from '@troupe/schema'

/**
 * Writes new files into a folder, all or none. Throws `usage_invalid` if one of them exists. Returns their
 * paths in order.
 */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>): readonly string[] {
  const entries = Object.entries(files).map(([path, text]) => [join(folder, path), text] as const)
  const present = entries.flatMap(([path]) => (existsSync(path) ? [path] : []))
  if (present.length > 0) {
    throw troupeError(
      'usage_invalid',
      `Nothing was written, because these files already exist: ${present.join(', ')}.`,
      {
        fix: 'Choose another folder or name, or delete the file.',
      },
    )
  }
  return entries.map(([path, text]) => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text, { flag: 'wx' })
    return path
  })
}
