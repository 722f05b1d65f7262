import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { moduleUrl } from './module-url.ts'

const CHANGED = /^file:.*\?changed=/u

/**
 * Imports a module by a URL of `moduleUrl`. If that is a changed module, its changed relative imports are
 * also loaded again.
 */
export async function importModule(url: string): Promise<unknown> {
  if (!CHANGED.test(url)) return import(/* @vite-ignore */ url)
  const hooks = registerHooks({
    resolve: (specifier, context, next) => {
      const found = next(specifier, context)
      const isBelow = specifier.startsWith('.') && CHANGED.test(context.parentURL ?? '')
      return isBelow && found.url.startsWith('file:')
        ? { ...found, url: moduleUrl(fileURLToPath(found.url)) }
        : found
    },
  })
  try {
    return await import(/* @vite-ignore */ url)
  } finally {
    hooks.deregister()
  }
}
