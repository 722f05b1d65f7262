import type { ModelContext } from '../src/index.ts'

/** Returns a context of plain values. */
export function contextOf(
  variables: Readonly<Record<string, string>> = {},
  rest: Partial<Omit<ModelContext, 'env'>> = {},
): ModelContext {
  return {
    env: (name) => (Object.hasOwn(variables, name) ? variables[name] : undefined),
    searched: ['override', '/team/troupe.env', 'process'],
    folder: '/nowhere',
    ...rest,
  }
}
