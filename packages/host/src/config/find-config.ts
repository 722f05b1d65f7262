import { existsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** Names of a configuration file. The first in a folder wins. */
export const CONFIG_NAMES = ['troupe.json', '.ai-agent.json'] as const

/**
 * Returns the nearest configuration file from `from` up to the first folder with `.git` or the home folder
 * (both included), else the one in the working folder. Only one file is used; files are never merged. Returns
 * `undefined` if there is none.
 */
export function findConfig(options: {
  /** Folder of the entry card. */
  readonly from: string
  readonly cwd: string
  readonly home?: string
}): string | undefined {
  const home = options.home === undefined ? undefined : resolve(options.home)
  for (const folder of ancestorFolders(resolve(options.from))) {
    const file = configIn(folder)
    if (file !== undefined) return file
    if (folder === home || existsSync(join(folder, '.git'))) break
  }
  return configIn(resolve(options.cwd))
}

function configIn(folder: string): string | undefined {
  return CONFIG_NAMES.map((name) => join(folder, name)).find(isFile)
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

/** Yields the folder and all its ancestors. */
export function* ancestorFolders(folder: string): Generator<string> {
  for (let at = folder; ; at = dirname(at)) {
    yield at
    if (dirname(at) === at) return
  }
}
