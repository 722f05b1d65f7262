import { registerHooks } from 'node:module'

/** Modules that hooks and function tools of cards may import without having them installed: the command brings its own. */
const PROVIDED: ReadonlyMap<string, string> = new Map([
  ['@troupe/schema', beside('schema')],
  ['@troupe/hooks', beside('hooks')],
  ['zod', beside('zod')],
])

/** Lets a module that is not installed beside a card be the one the command brings. One that is installed there comes first. */
export function provideModules(): void {
  registerHooks({
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

/** A file of `provided/`, in the sources or in the bundle. */
function beside(name: string): string {
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return new URL(`./provided/${name}.${ending}`, import.meta.url).href
}
