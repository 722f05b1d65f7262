import { readFileSync } from 'node:fs'
import { registerHooks, type ResolveFnOutput } from 'node:module'
import { sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileFunction } from 'node:vm'

const folders = new Set<string>()

/**
 * Makes Node read the `.ts` and `.js` files of a folder by their syntax. Otherwise a package.json with `"type": "commonjs"`, which
 * `npm init` writes, makes every `export` an error, and one without `type` a warning. Files in `node_modules` are left alone. Holds for the
 * life of the process, as functions may import other modules when they are called.
 */
export function readModulesBySyntax(folder: string): void {
  if (folders.size === 0) {
    registerHooks({
      resolve: (specifier, context, next) => withFormat(next(specifier, context)),
    })
  }
  folders.add(folder.endsWith(sep) ? folder : `${folder}${sep}`)
}

function withFormat(found: ResolveFnOutput): ResolveFnOutput {
  const [, ending] = /\.(?<ending>[jt]s)(?:\?|$)/u.exec(found.url) ?? []
  if (ending === undefined || !found.url.startsWith('file:')) return found
  const path = fileURLToPath(found.url)
  if (!isRead(path)) return found
  if (ending === 'ts') return isTypeScriptModule(path) ? { ...found, format: 'module-typescript' } : found
  return isScriptModule(path) ? { ...found, format: 'module' } : found
}

function isRead(path: string): boolean {
  if (path.includes(`${sep}node_modules${sep}`)) return false
  for (const folder of folders) if (path.startsWith(folder)) return true
  return false
}

/** CommonJS of TypeScript, `import x = require('y')`, is not run by Node. */
function isTypeScriptModule(path: string): boolean {
  return /^[ \t]*(?:import|export)\b/mu.test(readSource(path))
}

/** Node's own rule for files without a `type`: a module is what does not compile as CommonJS because of its imports and exports. */
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
    // importing it says what is wrong
    return ''
  }
}
