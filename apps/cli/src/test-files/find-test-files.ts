import { readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { errorMessage, troupeError } from '@troupe/schema'
import { listFirst } from '@troupe/schema/text'

const ENDING = '.test.yaml'

/**
 * Returns the test files of paths, sorted: files as named, and the `*.test.yaml` of folders and their subfolders
 * without `node_modules` and hidden folders. Throws `usage_invalid` for a path that does not exist and if there is no
 * test file.
 */
export function findTestFiles(paths: readonly string[], cwd: string): readonly string[] {
  const found = new Set(paths.flatMap((path) => testFilesIn(resolve(cwd, path))))
  if (found.size === 0)
    throw troupeError('usage_invalid', `There is no *${ENDING} in ${listFirst(paths)}.`, {
      fix: 'Write one beside your cards. The page "Testing a team" of the documentation has an example.',
    })
  return [...found].toSorted()
}

function testFilesIn(path: string): readonly string[] {
  try {
    return statSync(path).isDirectory() ? listFolder(path) : [path]
  } catch (error) {
    throw troupeError('usage_invalid', errorMessage(error), {
      fix: 'Pass a test file, or a folder.',
      cause: error,
    })
  }
}

function listFolder(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return isSkipped(entry.name) ? [] : listFolder(path)
    return entry.name.endsWith(ENDING) ? [path] : []
  })
}

function isSkipped(name: string): boolean {
  return name === 'node_modules' || name.startsWith('.')
}
