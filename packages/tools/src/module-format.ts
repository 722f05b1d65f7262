import { readFileSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileFunction } from 'node:vm'

const folders = new Set<string>()

/**
 * Makes Node detect the module format of `.ts` and `.js` files in a folder from their syntax. Otherwise
 * `"type": "commonjs"` in package.json, which `npm init` writes, makes every `export` an error, and a missing
 * `type` causes a warning. Skips `node_modules`. Stays in effect until the process exits, because functions
 * may import modules later. Does nothing on Bun, which has no such hooks and accepts both formats.
 */
export function readModulesBySyntax(folder: string): void {
  if (folders.size === 0 && 'registerHooks' in nodeModule) {
    nodeModule.registerHooks({
      resolve: (specifier, context, next) => withFormat(next(specifier, context)),
    })
  }
  folders.add(folder.endsWith(sep) ? folder : `${folder}${sep}`)
}

function withFormat(found: nodeModule.ResolveFnOutput): nodeModule.ResolveFnOutput {
  const [, ending] = /\.(?<ending>[jt]s)(?:\?|$)/u.exec(found.url) ?? []
  if (ending === undefined || !found.url.startsWith('file:')) return found
  const path = fileURLToPath(found.url)
  if (!isInRegisteredFolder(path)) return found
  if (ending === 'ts') return isTypeScriptModule(path) ? { ...found, format: 'module-typescript' } : found
  return isScriptModule(path) ? { ...found, format: 'module' } : found
}

function isInRegisteredFolder(path: string): boolean {
  if (path.includes(`${sep}node_modules${sep}`)) return false
  for (const folder of folders) if (path.startsWith(folder)) return true
  return false
}

/**
 * Returns true for ES module syntax. Node does not run TypeScript's CommonJS syntax, `import x =
 * require('y')`.
 */
function isTypeScriptModule(path: string): boolean {
  return /^[ \t]*(?:import|export)\b/mu.test(readSource(path))
}

/**
 * Returns true for an ES module, by Node's rule for files without a `type`: it does not compile as CommonJS
 * because of imports or exports.
 */
function isScriptModule(path: string): boolean {
  try {
    compileFunction(readSource(path), ['exports', 'require', 'module', '__filename', '__dirname'])
    return false
  } catch (thrown) {
    return thrown instanceof SyntaxError && MODULE_SYNTAX.test(thrown.message)
  }
}

const MODULE_SYNTAX =
  /Cannot use import statement|Unexpected token 'export'|Cannot use 'import\.meta'|await is only valid/u

function readSource(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // importing the file reports the error
    return ''
  }
}
