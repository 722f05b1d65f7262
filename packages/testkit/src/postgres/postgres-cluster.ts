import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { prepareBinaries } from './postgres-binaries.ts'

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

  async function start(): Promise<void> {
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
