import { realpath, stat } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { errorMessage, troupeError } from '@troupe/schema'
import { isBelow } from '@troupe/schema/paths'

/** Extensions tried before `.py`, in this order. */
const TRANSLATIONS = ['.ts', '.mts', '.js', '.mjs'] as const
const EXTENSIONS: ReadonlySet<string> = new Set(TRANSLATIONS)
const PYTHON = '.py'

/** A function spec and the folders to resolve it against. */
export interface SpecBase {
  readonly spec: string
  readonly folder: string
  /** Additional folders that may contain modules. Absolute. */
  readonly codeRoots?: readonly string[] | undefined
}

/** A module file and the folder that allows it. */
interface LocatedModule {
  /** Real path of the module. */
  readonly file: string
  /** Real path of the folder that allows the module. */
  readonly root: string
}

/**
 * Finds the module file of a spec, relative to the card's folder. Its real path must be inside that folder or
 * a code root. For `x.py`, tries `x.ts`, `x.mts`, `x.js` and `x.mjs` first. Throws `function_bad_spec` for other
 * file types and files outside, `function_not_found` if there is no file.
 */
export async function locateModule(module: FunctionSpec['module'], base: SpecBase): Promise<LocatedModule> {
  const candidates = candidatesOf(module, base)
  const root = await realpathOf(base.folder, base)
  if (root === undefined) throw notFoundError(base, `the folder ${base.folder} does not exist`)
  const roots = [root, ...(await realRoots(base))]
  const written = [base.folder, ...(base.codeRoots ?? []), ...roots]
  for (const candidate of candidates) {
    const path = resolve(base.folder, candidate)
    // paths outside are not accessed at all
    if (!written.some((folder) => isBelow(folder, path)))
      throw outsideError(base, resolve(base.folder, module))
    const file = await realpathOf(path, base)
    if (file === undefined) continue
    const within = roots.find((folder) => isBelow(folder, file))
    if (within === undefined) throw outsideError(base, file)
    if ((await stat(file)).isFile()) return { file, root: within }
  }
  throw notFoundError(
    base,
    `${candidates.join(', ')} ${candidates.length === 1 ? 'is' : 'are'} not in ${base.folder}`,
  )
}

async function realRoots(base: SpecBase): Promise<readonly string[]> {
  const roots = await Promise.all((base.codeRoots ?? []).map((folder) => realpathOf(folder, base)))
  return roots.filter((root) => root !== undefined)
}

function candidatesOf(module: string, base: SpecBase): readonly string[] {
  const extension = extname(module)
  if (EXTENSIONS.has(extension)) return [module]
  if (extension !== PYTHON) {
    throw troupeError(
      'function_bad_spec',
      `"${base.spec}" refers to ${module}, which is not a .ts, .mts, .js, .mjs or .py module.`,
    )
  }
  const stem = module.slice(0, -PYTHON.length)
  return [...TRANSLATIONS.map((translation) => `${stem}${translation}`), module]
}

/** Returns true for a module that runs in Python. */
export function isPython(file: string): boolean {
  return extname(file) === PYTHON
}

/** Resolves symbolic links. Returns `undefined` if the path does not exist. */
async function realpathOf(path: string, base: SpecBase): Promise<string | undefined> {
  try {
    return await realpath(path)
  } catch (thrown) {
    const code = (thrown as { readonly code?: unknown }).code
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw troupeError(
      'function_load_failed',
      `"${base.spec}": ${path} cannot be read: ${errorMessage(thrown)}`,
      {
        cause: thrown,
      },
    )
  }
}

function outsideError({ spec, folder }: SpecBase, path: string): Error {
  return troupeError(
    'function_bad_spec',
    `"${spec}" resolves to ${path}, which is outside the folder of the card (${folder}) and the \`codeRoots\` of troupe.json.`,
    { fix: 'Move the module into the folder of the card, or add its folder to `codeRoots`.' },
  )
}

function notFoundError({ spec }: SpecBase, what: string): Error {
  return troupeError('function_not_found', `"${spec}" was not found: ${what}.`)
}

/** A function named by its module file and export. */
export interface FunctionSpec {
  readonly module: string
  readonly name: string
}

/**
 * Parses `module.ts:function`. Splits at the last colon, so that a drive letter stays in the path. Throws
 * `function_bad_spec`.
 */
export function parseFunctionSpec(spec: string): FunctionSpec {
  const colon = spec.lastIndexOf(':')
  const module = spec.slice(0, Math.max(colon, 0))
  const name = spec.slice(colon + 1)
  if (colon === -1 || module.trim() === '' || !/^[^\s/\\.]+$/u.test(name) || spec.includes('\0')) {
    throw troupeError(
      'function_bad_spec',
      `"${spec}" does not name a function; expected \`module.ts:function\`.`,
    )
  }
  return { module, name }
}
