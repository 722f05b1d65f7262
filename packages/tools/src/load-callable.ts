import { troupeError, type AnyFunction } from '@troupe/schema'
import { loadFunction, type LoadedExport, type LoadOptions } from './load-function.ts'

/** A {@link LoadedExport} that is a function. */
export interface LoadedCallable extends LoadedExport {
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
