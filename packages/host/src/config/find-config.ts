import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { findTroupeKey } from '@troupe/card-formats'
import { readJsonObject } from '@troupe/cards'

/** Name of the configuration file. */
export const CONFIG_NAME = 'troupe.json'
/** Configuration of ai-agent, which belongs to its cards. Earlier versions read it as a troupe.json. */
const AI_AGENT_CONFIG = '.ai-agent.json'

/**
 * Returns the nearest configuration file from `from` up to the first folder with `.git` or the home folder
 * (both included), else the one in the working folder. Only one file is used; files are never merged. A
 * `.ai-agent.json` with keys of troupe.json counts, so that {@link misnamedConfig} can report it. Returns
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
  const file = join(folder, CONFIG_NAME)
  if (isFile(file)) return file
  const other = join(folder, AI_AGENT_CONFIG)
  return isFile(other) && ownKeyIn(other) !== undefined ? other : undefined
}

/**
 * Returns why a configuration of ai-agent cannot be used as a troupe.json, and what to do; `undefined` for any
 * other file.
 */
export function misnamedConfig(file: string): { readonly message: string; readonly fix: string } | undefined {
  if (!/^\.?ai-agent\.json$/u.test(basename(file))) return undefined
  const key = ownKeyIn(file)
  if (key === undefined)
    return {
      message: 'it is the configuration of ai-agent, which is read with the .ai files that it applies to',
      fix: 'Leave out --config, or pass a troupe.json.',
    }
  return {
    message: `\`${key}\` is a key of troupe.json, but a file with this name has the keys of ai-agent`,
    fix: 'Rename the file to troupe.json, or move the key to a troupe.json.',
  }
}

/** Returns a key of the file that only troupe.json has. */
function ownKeyIn(file: string): string | undefined {
  try {
    const read = readJsonObject(readFileSync(file, 'utf8'))
    if (!('value' in read)) return undefined
    return findTroupeKey(read.value)?.join('.')
  } catch {
    // The cards of ai-agent report a file that cannot be read.
    return undefined
  }
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
