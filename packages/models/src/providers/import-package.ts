import * as nodeModule from 'node:module'
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import {
  errorMessage,
  failure,
  getOwn,
  isJsonObject,
  troupeError,
  type Failure,
  type Json,
} from '@troupe/schema'

/** Place that needs a package, for messages. */
export interface PackageUser {
  readonly provider: string
  /** Folder from which the package is resolved first. */
  readonly folder: string
}

/** Returns true if a package is installed for the folder of the team or for Troupe. */
export function isInstalled(name: string, folder: string): boolean {
  return findPackage(name, folder) !== undefined
}

/** Returns the failure for a package that is not installed. */
export function missingPackage(name: string, { provider, folder }: PackageUser): Failure {
  return failure(
    'config_invalid',
    `The provider ${provider} needs the package ${name}, which is not installed.`,
    `Run \`npm install ${packageOf(name)}\` in ${resolve(folder)}.`,
  )
}

/** Imports a package from the folder of the team, else from Troupe. Throws `config_invalid` with the fix. */
export async function importPackage(
  name: string,
  user: PackageUser,
): Promise<Readonly<Record<string, unknown>>> {
  const url = findPackage(name, user.folder)
  if (url === undefined) {
    const { code, message, remediation } = missingPackage(name, user)
    throw troupeError(code, message, { fix: remediation })
  }
  try {
    return (await import(/* @vite-ignore */ url)) as Readonly<Record<string, unknown>>
  } catch (cause) {
    throw troupeError(
      'config_invalid',
      `The package ${name} of the provider ${user.provider} could not be loaded: ${errorMessage(cause)}`,
      { fix: `Install it again in ${resolve(user.folder)}, or update it.`, cause },
    )
  }
}

/** Returns the URL of the module of a package; `undefined` if it is not installed. */
function findPackage(name: string, folder: string): string | undefined {
  return (
    findFrom(name, join(resolve(folder), 'package.json')) ?? findFrom(name, fileURLToPath(import.meta.url))
  )
}

function findFrom(name: string, file: string): string | undefined {
  if (nodeModule.isBuiltin(name)) return undefined
  try {
    return pathToFileURL(nodeModule.createRequire(file).resolve(name)).href
  } catch (error) {
    // the package has only an entry for `import`, which `require` does not see
    return isCode(error, 'ERR_PACKAGE_PATH_NOT_EXPORTED') ? importEntry(name, file) : undefined
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

/** Returns the URL that a package exports for `import`. */
function importEntry(name: string, file: string): string | undefined {
  // Bun does not have this function, and its `resolve` finds such packages
  if (!('findPackageJSON' in nodeModule)) return undefined
  const manifest = nodeModule.findPackageJSON(packageOf(name), pathToFileURL(file))
  if (manifest === undefined) return undefined
  const { exports = null } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly exports?: Json }
  const path = `.${name.slice(packageOf(name).length)}`
  const entry = isJsonObject(exports) ? (getOwn(exports, path) ?? (path === '.' ? exports : null)) : exports
  const target = targetOf(entry)
  return target === undefined ? undefined : pathToFileURL(join(dirname(manifest), target)).href
}

function targetOf(entry: Json): string | undefined {
  if (typeof entry === 'string') return entry
  if (!isJsonObject(entry)) return undefined
  const next = getOwn(entry, 'node') ?? getOwn(entry, 'import') ?? getOwn(entry, 'default')
  return next === undefined ? undefined : targetOf(next)
}

/** Returns the name of a package without the path that it exports. */
function packageOf(name: string): string {
  return name.split('/', name.startsWith('@') ? 2 : 1).join('/')
}
