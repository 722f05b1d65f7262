import * as nodeModule from 'node:module'

/** Modules that card code may import without installing them: the CLI bundles them. */
const PROVIDED: ReadonlyMap<string, string> = new Map([
  ['@troupe/schema', moduleUrl('provided/schema')],
  ['@troupe/hooks', moduleUrl('provided/hooks')],
  ['troupe', moduleUrl('index')],
  ['troupe/hooks', moduleUrl('provided/troupe-hooks')],
  ['zod', moduleUrl('provided/zod')],
])

/**
 * Registers a resolve hook that falls back to the bundled modules. A module installed beside a card takes
 * precedence. Does nothing on Bun, which has no such hooks: cards find only installed modules there.
 */
export function provideModules(): void {
  if (!('registerHooks' in nodeModule)) return
  nodeModule.registerHooks({
    resolve(specifier, context, nextResolve) {
      const provided = PROVIDED.get(specifier)
      if (provided === undefined) return nextResolve(specifier, context)
      try {
        return nextResolve(specifier, context)
      } catch (thrown) {
        if (!isNotFound(thrown)) throw thrown
        return { url: provided, shortCircuit: true }
      }
    },
  })
}

function isNotFound(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_MODULE_NOT_FOUND'
}

/** Returns the URL of a module, in the sources or in the bundle. */
function moduleUrl(name: string): string {
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return new URL(`./${name}.${ending}`, import.meta.url).href
}
