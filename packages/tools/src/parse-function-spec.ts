import { troupeError } from '@troupe/schema'

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
      `"${spec}" does not name a function: the form is \`module.ts:function\`.`,
    )
  }
  return { module, name }
}
