import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { TroupeError, troupeError, type Clock } from '@troupe/schema'
import type { AnswerProgress, SlackRequest } from '../intake/slack-request.ts'

/** The process that owns a state. */
export interface StateOwner {
  readonly pid: number
  readonly host: string
  /** Returns true if a process of this machine is running. */
  isAlive(pid: number): boolean
}

interface StateHolder {
  readonly pid: number
  readonly host: string
  /** The time of its last heartbeat. */
  readonly at: number
}

const TABLE = `
  CREATE TABLE IF NOT EXISTS owner (
    one INTEGER PRIMARY KEY CHECK (one = 1), pid INTEGER NOT NULL, host TEXT NOT NULL, at INTEGER NOT NULL
  );
`
const HEARTBEAT_MS = 20_000
/** An owner without a heartbeat for this long counts as dead, because process ids are reused. */
const STALE_AFTER_MS = 3 * HEARTBEAT_MS

/**
 * Locks a state for this process, so that two processes do not answer the same requests. Returns a function
 * that releases the lock. Throws `store_locked` if another process holds it.
 */
function lockState(
  database: DatabaseSync,
  { owner, clock, file }: { readonly owner: StateOwner; readonly clock: Clock; readonly file: string },
): () => void {
  database.exec(TABLE)
  const read = database.prepare('SELECT pid, host, at FROM owner')
  const write = database.prepare('INSERT OR REPLACE INTO owner VALUES (1, ?, ?, ?)')
  const release = database.prepare('DELETE FROM owner WHERE pid = ? AND host = ?')
  database.exec('BEGIN IMMEDIATE')
  try {
    const holder = read.get() as unknown as StateHolder | undefined
    if (holder !== undefined && isLocked(holder, { owner, clock }))
      throw troupeError(
        'store_locked',
        `${file}: the Slack app of process ${holder.pid} is using this file.`,
        {
          fix: 'Stop that process, or choose another file with `--store`.',
        },
      )
    write.run(owner.pid, owner.host, clock.now())
  } finally {
    database.exec('COMMIT')
  }
  let cancel = clock.after(HEARTBEAT_MS, sendHeartbeat)
  return () => {
    cancel()
    release.run(owner.pid, owner.host)
  }

  function sendHeartbeat(): void {
    try {
      write.run(owner.pid, owner.host, clock.now())
    } catch {
      // A disk that is full now may have space the next time.
    }
    cancel = clock.after(HEARTBEAT_MS, sendHeartbeat)
  }
}

function isLocked(
  { pid, host, at }: StateHolder,
  { owner, clock }: { readonly owner: StateOwner; readonly clock: Clock },
): boolean {
  if (at < clock.now() - STALE_AFTER_MS) return false
  if (host !== owner.host) return true
  return pid !== owner.pid && owner.isAlive(pid)
}

/** A stored request with the progress of its answer. */
export interface StoredSlackRequest {
  readonly request: SlackRequest
  readonly progress: AnswerProgress
}

/** The usage of one request so far. */
export interface RequestSpending {
  /** The id of the request. */
  readonly by: string
  readonly tokens: number
  /** In micro-USD. */
  readonly micros: number
}

/** The usage of a person or a channel. */
export interface SubjectUsage {
  readonly requests: number
  readonly tokens: number
  /** In micro-USD. */
  readonly micros: number
}

/** The persistent state of the app. Every method has written when it returns. */
export interface SlackState {
  /** Stores a request. Returns false if it is already known. */
  take(request: SlackRequest): boolean
  /** Stores the progress of an answer, merged with what was stored before. */
  note(request: SlackRequest, progress: AnswerProgress): void
  /** Marks a request as answered. */
  settle(request: SlackRequest): void
  find(team: string, id: string): StoredSlackRequest | undefined
  /** Returns the requests without an answer, in order of arrival. */
  open(): readonly StoredSlackRequest[]
  /** Sets the total usage of a request for a subject, such as `user:T1:U1`. It never decreases. */
  setUsage(subject: string, spending: RequestSpending): void
  /** Returns the usage of a subject since a time, without that of the request `except`. */
  usageSince(subject: string, time: number, except?: string): SubjectUsage
  /** Deletes the answered requests and the usage from before a time. */
  forget(before: number): void
  close(): void
}

const IN_MEMORY = ':memory:'

const TABLES = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA busy_timeout = 2000;
  CREATE TABLE IF NOT EXISTS requests (
    team TEXT NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL, request TEXT NOT NULL,
    place TEXT NOT NULL DEFAULT '{}', settled INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (team, id)
  );
  CREATE INDEX IF NOT EXISTS open_requests ON requests (at) WHERE settled = 0;
  CREATE TABLE IF NOT EXISTS used (
    subject TEXT NOT NULL, request TEXT NOT NULL, at INTEGER NOT NULL, tokens INTEGER NOT NULL, micros INTEGER NOT NULL,
    PRIMARY KEY (subject, request)
  );
  CREATE INDEX IF NOT EXISTS used_since ON used (subject, at);
`

/**
 * Opens the state in a file for this user and process only, or in memory if no file is given. Rejects with
 * `store_unavailable` and `store_locked`.
 */
export async function openSlackState({
  file = IN_MEMORY,
  clock,
  owner,
}: {
  readonly file?: string | undefined
  readonly clock: Clock
  /** The process that locks the file; without it, the file is not locked. */
  readonly owner?: StateOwner
}): Promise<SlackState> {
  try {
    if (file !== IN_MEMORY) makeFile(file)
    // Imported late: before Node 24, loading the module prints a warning that it is experimental.
    const { DatabaseSync } = await import('node:sqlite')
    const database = new DatabaseSync(file)
    database.exec(TABLES)
    const release = owner === undefined ? undefined : lockOrClose(database, { owner, clock, file })
    return stateOf(database, { clock, release })
  } catch (cause) {
    if (cause instanceof TroupeError) throw cause
    throw troupeError(
      'store_unavailable',
      `${file}: the state of the Slack app cannot be opened: ${String(cause)}.`,
      {
        cause,
      },
    )
  }
}

/** Locks the state for a process. Closes the database if another one holds it. */
function lockOrClose(database: DatabaseSync, options: Parameters<typeof lockState>[1]): () => void {
  try {
    return lockState(database, options)
  } catch (thrown) {
    database.close()
    throw thrown
  }
}

/** Creates the file with mode 0600, which SQLite also gives to its companion files. */
function makeFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
}

interface RequestRow {
  readonly request: string
  readonly place: string
}

function stateOf(
  database: DatabaseSync,
  { clock, release }: { readonly clock: Clock; readonly release: (() => void) | undefined },
): SlackState {
  const take = database.prepare('INSERT OR IGNORE INTO requests (team, id, at, request) VALUES (?, ?, ?, ?)')
  const note = database.prepare('UPDATE requests SET place = json_patch(place, ?) WHERE team = ? AND id = ?')
  const settle = database.prepare('UPDATE requests SET settled = 1 WHERE team = ? AND id = ?')
  const find = database.prepare('SELECT request, place FROM requests WHERE team = ? AND id = ?')
  const open = database.prepare('SELECT request, place FROM requests WHERE settled = 0 ORDER BY at, rowid')
  const spend = database.prepare(`
    INSERT INTO used VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET tokens = max(tokens, excluded.tokens), micros = max(micros, excluded.micros)
  `)
  const spent = database.prepare(`
    SELECT count(*) AS requests, total(tokens) AS tokens, total(micros) AS micros
    FROM used WHERE subject = ? AND at > ? AND request <> ?
  `)
  const forget = [
    database.prepare('DELETE FROM requests WHERE settled = 1 AND at < ?'),
    database.prepare('DELETE FROM used WHERE at < ?'),
  ]
  return {
    take: (request) =>
      Number(take.run(request.team, request.id, clock.now(), JSON.stringify(request)).changes) === 1,
    note: ({ team, id }, progress) => void note.run(JSON.stringify(progress), team, id),
    settle: ({ team, id }) => void settle.run(team, id),
    find(team, id) {
      const row = find.get(team, id)
      return row === undefined ? undefined : toStoredRequest(row as unknown as RequestRow)
    },
    open: () => open.all().map((row) => toStoredRequest(row as unknown as RequestRow)),
    setUsage: (subject, { by, tokens, micros }) => void spend.run(subject, by, clock.now(), tokens, micros),
    usageSince: (subject, time, except = '') => ({
      ...(spent.get(subject, time, except) as unknown as SubjectUsage),
    }),
    forget(before) {
      for (const statement of forget) statement.run(before)
    },
    close() {
      release?.()
      database.close()
    },
  }
}

function toStoredRequest({ request, place }: RequestRow): StoredSlackRequest {
  return { request: JSON.parse(request) as SlackRequest, progress: JSON.parse(place) as AnswerProgress }
}
