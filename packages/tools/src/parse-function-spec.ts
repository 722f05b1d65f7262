import { troupeError } from '@troupe/schema'

/** A function as a card names it: a file and one of its exports. */
export interface FunctionSpec {
  readonly module: string
  readonly name: string
}

/** Splits `module.ts:function` at its last colon, so a drive letter stays with the path (B22). Throws `function_bad_spec`. */
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
