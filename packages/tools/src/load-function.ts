import { pathToFileURL } from 'node:url'
import { errorMessage, troupeError, type AnyFunction } from '@troupe/schema'
import { isPython, locateModule, type SpecBase, parseFunctionSpec } from './locate-module.ts'
import { readModulesBySyntax } from './module-format.ts'

const SHOWN = 20

/** Options for loading modules. */
export interface LoadOptions {
  /** Folder of the card, the base of relative paths. Absolute. */
  readonly folder: string
  /** Additional folders that may contain modules. Absolute. */
  readonly codeRoots?: readonly string[]
  /**
   * Returns the URL to import a module from. Default: its `file:` URL. A new query string makes Node load the
   * module again.
   */
  moduleUrl?(file: string): string
  /** Imports a module. Default: Node's own `import`, which accepts TypeScript. */
  importModule?(url: string): Promise<unknown>
  /** Returns the candidate that a misspelt name most likely means. */
  suggest?(name: string, candidates: readonly string[]): string | undefined
}

/** An export of a module. */
export interface LoadedExport {
  readonly value: unknown
  /** Real path of the module. */
  readonly file: string
  /** Folder that allows the module: the card's folder or a code root. */
  readonly root: string
  /** URL from which it was imported. */
  readonly url: string
  readonly name: string
}

/**
 * Loads the export that `module.ts:export` names, without a build step. Throws `function_bad_spec`,
 * `function_not_found` if the file or the export is missing, or `function_load_failed` with the module's
 * error as cause.
 */
export async function loadFunction(spec: string, options: LoadOptions): Promise<LoadedExport> {
  const { module, name } = parseFunctionSpec(spec)
  const base = { spec, folder: options.folder, codeRoots: options.codeRoots }
  const { file, root } = await locateModule(module, base)
  if (isPython(file)) throw pythonError(spec, file)
  readModulesBySyntax(root)
  const url = options.moduleUrl?.(file) ?? pathToFileURL(file).href
  const exported = await importFile({ file, url }, base, options)
  if (!Object.hasOwn(exported, name)) throw noSuchExport({ spec, file, name }, Object.keys(exported), options)
  return { value: (exported as Readonly<Record<string, unknown>>)[name], file, root, url, name }
}

function pythonError(spec: string, file: string): Error {
  return troupeError('function_bad_spec', `"${spec}" is ${file}, and Python functions cannot be used here.`, {
    fix: 'Use a Python function as a function tool, or as a tool hook without options.',
  })
}

async function importFile(
  { file, url }: Pick<LoadedExport, 'file' | 'url'>,
  { spec }: SpecBase,
  options: LoadOptions,
): Promise<object> {
  try {
    return (await (options.importModule?.(url) ?? import(/* @vite-ignore */ url))) as object
  } catch (thrown) {
    throw troupeError(
      'function_load_failed',
      `"${spec}": ${file} could not be loaded: ${errorMessage(thrown)}`,
      {
        cause: thrown,
        fix: fixOf(file, thrown),
      },
    )
  }
}

/**
 * Returns a fix for a module that failed to load. Node only strips types, so TypeScript syntax that needs
 * compilation is a syntax error.
 */
function fixOf(file: string, thrown: unknown): string {
  if (!(thrown instanceof SyntaxError) || !/\.m?ts$/u.test(file)) return `Correct the error in ${file}.`
  return `Types in ${file} are only erased. Write enums, namespaces, parameter properties and decorators as plain JavaScript, or compile the module and use the .js file.`
}

function noSuchExport(
  { spec, file, name }: { readonly spec: string; readonly file: string; readonly name: string },
  exported: readonly string[],
  options: LoadOptions,
): Error {
  const found = exported.length === 0 ? 'nothing' : exported.slice(0, SHOWN).join(', ')
  const near = options.suggest?.(name, exported)
  return troupeError('function_not_found', `"${spec}": ${file} exports ${found}, but not ${name}.`, {
    fix:
      near === undefined
        ? `Export ${name} from ${file}, or use one of its exports.`
        : `Did you mean ${near}?`,
  })
}

/** A {@link LoadedExport} that is a function. */
interface LoadedCallable extends LoadedExport {
  readonly value: AnyFunction
}

/** Loads an export like `loadFunction`. Throws `function_not_callable` if it is not a function. */
export async function loadCallable(spec: string, options: LoadOptions): Promise<LoadedCallable> {
  const found = await loadFunction(spec, options)
  const { value } = found
  if (isCallable(value)) return { ...found, value }
  throw notCallable({ spec, ...found })
}

export function isCallable(value: unknown): value is AnyFunction {
  return typeof value === 'function'
}

/** Creates the error for an export that is not a function. */
export function notCallable(found: Omit<LoadedExport, 'url' | 'root'> & { readonly spec: string }): Error {
  const kind = found.value === null ? 'null' : typeof found.value
  return troupeError(
    'function_not_callable',
    `"${found.spec}": ${found.name} in ${found.file} is of type ${kind}, not a function.`,
    { fix: `Export a function named ${found.name} from ${found.file}.` },
  )
}

/** Throws `hook_bad_signature` if a function has more parameters than its hook passes. Fewer are allowed. */
export function checkSignature(
  fn: AnyFunction,
  hook: { readonly label: string; readonly form: readonly string[] },
): void {
  if (fn.length <= hook.form.length) return
  const form = `(${hook.form.join(', ')})`
  throw troupeError('hook_bad_signature', `${hook.label} has ${fn.length} parameters; the form is ${form}.`, {
    fix: `Give it at most ${hook.form.length} parameters: ${form}.`,
  })
}
