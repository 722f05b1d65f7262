import { pathToFileURL } from 'node:url'
import { errorMessage, troupeError } from '@troupe/schema'
import { locateModule, type SpecPlace } from './locate-module.ts'
import { readModulesBySyntax } from './module-format.ts'
import { parseFunctionSpec } from './parse-function-spec.ts'

const SHOWN = 20

/** How specs are resolved. */
export interface LoadOptions {
  /** The folder of the card: what relative paths are relative to. Absolute. */
  readonly folder: string
  /** Further folders that modules may be in. Absolute. */
  readonly codeRoots?: readonly string[]
  /** The URL by which a module is imported; by default its `file:` URL. One that differs in its query makes the platform read it anew. */
  moduleUrl?(file: string): string
  /** Imports a module by its URL; by default the platform's own import, which reads TypeScript as it is. */
  importModule?(url: string): Promise<unknown>
  /** The known name that a misspelt one most likely means. */
  suggest?(name: string, candidates: readonly string[]): string | undefined
}

/** An export of a module, as it is. */
export interface LoadedExport {
  readonly value: unknown
  /** The real path of the module. */
  readonly file: string
  /** The folder that it may be in: that of the card, or a code root. */
  readonly root: string
  /** What it was imported by. */
  readonly url: string
  readonly name: string
}

/**
 * Loads what `module.ts:export` names, without a build step (B7, B22–B24). Nothing is swallowed: throws `function_bad_spec`,
 * `function_not_found` for the file or the export, or `function_load_failed` with the error of the module as cause.
 */
export async function loadFunction(spec: string, options: LoadOptions): Promise<LoadedExport> {
  const { module, name } = parseFunctionSpec(spec)
  const place = { spec, folder: options.folder, codeRoots: options.codeRoots }
  const { file, root } = await locateModule(module, place)
  readModulesBySyntax(root)
  const url = options.moduleUrl?.(file) ?? pathToFileURL(file).href
  const exported = await importFile({ file, url }, place, options)
  if (!Object.hasOwn(exported, name)) throw noSuchExport({ spec, file, name }, Object.keys(exported), options)
  return { value: (exported as Readonly<Record<string, unknown>>)[name], file, root, url, name }
}

async function importFile(
  { file, url }: Pick<LoadedExport, 'file' | 'url'>,
  { spec }: SpecPlace,
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

/** Node erases types and nothing else: what would need to be compiled is an error of syntax. */
function fixOf(file: string, thrown: unknown): string {
  if (!(thrown instanceof SyntaxError) || !/\.m?ts$/u.test(file)) return `Correct the error in ${file}.`
  return `Types are erased from ${file} and nothing is compiled: write enums, namespaces, parameter properties and decorators as plain JavaScript, or build the module and name the .js file.`
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
        ? `Export ${name} from ${file}, or name one of its exports.`
        : `Did you mean ${near}?`,
  })
}
