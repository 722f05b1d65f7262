import { realpath, stat } from 'node:fs/promises'
import { extname, isAbsolute, relative, resolve, sep } from 'node:path'
import { errorMessage, troupeError } from '@troupe/schema'
import type { FunctionSpec } from './parse-function-spec.ts'

/** What stands for a Python module, in this order. */
const TRANSLATIONS = ['.ts', '.mts', '.js', '.mjs'] as const
const EXTENSIONS: ReadonlySet<string> = new Set(TRANSLATIONS)
const PYTHON = '.py'

/** Where a spec was written, for messages and for what is relative. */
export interface SpecPlace {
  readonly spec: string
  readonly folder: string
  /** Further folders that modules may be in. Absolute. */
  readonly codeRoots?: readonly string[] | undefined
}

/** A module that was found. */
export interface LocatedModule {
  /** Its real path. */
  readonly file: string
  /** The real path of the folder that it is allowed to be in. */
  readonly root: string
}

/**
 * Finds the file of a spec: relative to the card's folder and, links followed, inside it or a code root. `x.py` stands for `x.ts`, `x.mts`, `x.js` or `x.mjs` beside it.
 * Throws `function_bad_spec` for another kind of file or one outside, `function_not_found` for one that is not there.
 */
export async function locateModule(module: FunctionSpec['module'], place: SpecPlace): Promise<LocatedModule> {
  const candidates = candidatesOf(module, place)
  const root = await realpathOf(place.folder, place)
  if (root === undefined) throw notFound(place, `the folder ${place.folder} does not exist`)
  const roots = [root, ...(await realRoots(place))]
  const written = [place.folder, ...(place.codeRoots ?? []), ...roots]
  for (const candidate of candidates) {
    const path = resolve(place.folder, candidate)
    // what lies elsewhere is not even looked up
    if (!written.some((folder) => isInside(folder, path))) throw outside(place, path)
    const file = await realpathOf(path, place)
    if (file === undefined) continue
    const within = roots.find((folder) => isInside(folder, file))
    if (within === undefined) throw outside(place, file)
    if ((await stat(file)).isFile()) return { file, root: within }
  }
  throw notFound(
    place,
    `${candidates.join(', ')} ${candidates.length === 1 ? 'is' : 'are'} not in ${place.folder}`,
  )
}

async function realRoots(place: SpecPlace): Promise<readonly string[]> {
  const roots = await Promise.all((place.codeRoots ?? []).map((folder) => realpathOf(folder, place)))
  return roots.filter((root) => root !== undefined)
}

function candidatesOf(module: string, place: SpecPlace): readonly string[] {
  const extension = extname(module)
  if (EXTENSIONS.has(extension)) return [module]
  if (extension !== PYTHON) {
    throw troupeError(
      'function_bad_spec',
      `"${place.spec}" names ${module}, which is no module: a function is in a .ts, .mts, .js or .mjs file.`,
    )
  }
  const stem = module.slice(0, -PYTHON.length)
  return TRANSLATIONS.map((translation) => `${stem}${translation}`)
}

/** The path without links; undefined when there is nothing. */
async function realpathOf(path: string, place: SpecPlace): Promise<string | undefined> {
  try {
    return await realpath(path)
  } catch (thrown) {
    const code = (thrown as { readonly code?: unknown }).code
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw troupeError(
      'function_load_failed',
      `"${place.spec}": ${path} cannot be read: ${errorMessage(thrown)}`,
      {
        cause: thrown,
      },
    )
  }
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

function outside({ spec, folder }: SpecPlace, path: string): Error {
  return troupeError(
    'function_bad_spec',
    `"${spec}" leads to ${path}, outside the folder of the card (${folder}) and the \`codeRoots\` of troupe.json.`,
    { fix: 'Move the module into the folder of the card, or add its folder to `codeRoots`.' },
  )
}

function notFound({ spec }: SpecPlace, what: string): Error {
  return troupeError('function_not_found', `"${spec}" was not found: ${what}.`)
}
