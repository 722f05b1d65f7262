import { chmodSync, closeSync, existsSync, mkdirSync, openSync, fdatasync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { errorMessage, troupeError } from '@troupe/schema'
import { APPLICATION_ID, MIGRATIONS, SCHEMA_VERSION } from './schema.ts'
import { faultOf, storeError } from './store-failure.ts'
import { promisify } from 'node:util'

const FOLDER_MODE = 0o700
const FILE_MODE = 0o600
/** Attempts to prepare the file. Several processes may create it at the same time, and late ones retry. */
const ATTEMPTS = 40
const PAUSE_MS = 50

/**
 * Opens the database of a store. Creates folder and file if missing, accessible only to the current user.
 * Uses a write-ahead log, which the caller syncs to disk. Rejects with `store_unavailable`, `store_corrupt`,
 * `store_newer` or `store_full`.
 */
export async function openDatabase({
  path,
  maxBytes,
}: {
  readonly path: string
  readonly maxBytes?: number
}): Promise<DatabaseSync> {
  makeFile(path)
  // not a static import: before Node 24 the module is experimental and prints a warning when loaded
  const sqlite = await import('node:sqlite')
  for (let attempt = 1; ; attempt += 1) {
    const database = openOnce(path, sqlite.DatabaseSync)
    try {
      prepare(database, path)
      if (maxBytes !== undefined) limit(database, maxBytes)
      return database
    } catch (thrown) {
      database.close()
      if (faultOf(thrown) !== 'busy' || attempt === ATTEMPTS) throw storeError(thrown, path)
    }
    await wait(PAUSE_MS)
  }
}

function openOnce(path: string, Database: typeof DatabaseSync): DatabaseSync {
  try {
    return new Database(path, { enableForeignKeyConstraints: true })
  } catch (thrown) {
    throw storeError(thrown, path)
  }
}

/** Creates the database file. SQLite gives its other files the same mode. */
function makeFile(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: FOLDER_MODE })
    // only if missing: closing a file releases the locks that another connection of this process holds on it
    if (!existsSync(path)) closeSync(openSync(path, 'a', FILE_MODE))
    chmodSync(path, FILE_MODE)
  } catch (thrown) {
    throw troupeError('store_unavailable', `${path}: the store cannot be written: ${errorMessage(thrown)}.`, {
      cause: thrown,
      fix: COPY_IT,
    })
  }
}

const COPY_IT =
  'Check the path and its permissions. To read runs from a read-only disk, copy the file and the `-wal` file next to it to a writable folder and pass the copy with `--store`.'

function prepare(database: DatabaseSync, path: string): void {
  database.exec('PRAGMA busy_timeout = 1000')
  const version = readVersion(database, path)
  if (version === 0) database.exec('PRAGMA auto_vacuum = INCREMENTAL')
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON')
  database.exec(`PRAGMA journal_size_limit = ${WAL_BYTES}`)
  if (version < SCHEMA_VERSION) migrate(database, path)
  // the first read creates the file of the write-ahead log
  readVersion(database, path)
  // From here on, commits retry by themselves if the store is busy, so that the thread is not blocked.
  database.exec('PRAGMA busy_timeout = 0')
}

function limit(database: DatabaseSync, maxBytes: number): void {
  const pages = Math.max(1, Math.floor(maxBytes / pragma(database, 'page_size')))
  database.exec(`PRAGMA max_page_count = ${pages}`)
}

/** Size in bytes to which the write-ahead log is truncated after a checkpoint. */
const WAL_BYTES = 64 * 1024 * 1024

/** Returns the version of the store; 0 if it is empty. Throws for other files and for later versions. */
function readVersion(database: DatabaseSync, path: string): number {
  const version = pragma(database, 'user_version')
  const isOurs = pragma(database, 'application_id') === APPLICATION_ID
  const isEmpty = version === 0 && pragma(database, 'schema_version') === 0
  if (!isOurs && !isEmpty) {
    throw troupeError('store_corrupt', `${path}: this is a database, but not a run store.`, {
      fix: 'Use another file.',
    })
  }
  if (version > SCHEMA_VERSION) {
    throw troupeError(
      'store_newer',
      `${path}: the store has version ${version}, but this release supports versions up to ${SCHEMA_VERSION}.`,
    )
  }
  return version
}

/**
 * Migrates in one transaction, so that a store is never between two versions. Reads the version again within
 * it, because another process may have migrated meanwhile.
 */
function migrate(database: DatabaseSync, path: string): void {
  database.exec('BEGIN IMMEDIATE')
  try {
    for (const step of MIGRATIONS.slice(readVersion(database, path)))
      if (typeof step === 'string') database.exec(step)
      else step(database)
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}`)
    database.exec('COMMIT')
  } catch (thrown) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw thrown
  }
}

function pragma(database: DatabaseSync, name: string): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name])
}

/** Syncs commits to disk without blocking the thread. */
interface DiskSync {
  /**
   * Resolves when all earlier commits are on disk. Rejects with `store_unavailable` if the sync fails; it is
   * then unknown which commits are on disk.
   */
  run(): Promise<void>
  close(): void
}

const sync = promisify(fdatasync)

/**
 * Opens the sync of a database whose write-ahead log exists. SQLite could sync within `COMMIT` (`synchronous
 * = FULL`), but would block the thread, and so all runs, meanwhile.
 */
export function openDiskSync(path: string): DiskSync {
  // SQLite holds no locks on this file, so closing it here cannot release any
  const file = openSync(`${path}-wal`, 'r+')
  return {
    async run() {
      try {
        await sync(file)
      } catch (thrown) {
        throw troupeError('store_unavailable', `${path}: writing to disk failed: ${errorMessage(thrown)}.`, {
          cause: thrown,
        })
      }
    },
    close: () => closeSync(file),
  }
}
