import { hash } from 'node:crypto'
import { Pool, type PoolClient, type QueryResultRow } from 'pg'
import { troupeError, type Clock, type Failure } from '@troupe/schema'
import { faultOf, isPreparationFault, storeError } from './store-failure.ts'

/** How to connect to a database, and what to call while it does not answer. */
export interface DatabaseOptions {
  readonly url: string
  /** PostgreSQL schema of the tables. */
  readonly schema: string
  readonly poolSize: number
  /**
   * True if `url` is that of a pooler, which may execute each transaction on another connection. Statements are then
   * not prepared.
   */
  readonly isPooler?: boolean
  readonly clock: Clock
  /** Returns a random number 0 ≤ x < 1. */
  random(): number
  onTrouble?: ((reason: Failure | undefined) => void) | undefined
}

/** A pool of connections to one database. */
export interface Database {
  /** Address without user and password, for messages. */
  readonly name: string
  /** Quoted name of the PostgreSQL schema, to be followed by a table. */
  readonly schema: string
  /** Runs one statement, whose text must be one of few. Rejects with the error of `pg`. */
  query<Row extends QueryResultRow>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>
  /** Runs statements in one transaction. Rejects with the error of `pg`. */
  transaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T>
  /**
   * Repeats work until it succeeds, as long as the database is unreachable, busy or full. Rejects with a
   * `TroupeError` for other faults, and when `isCancelled` returns true.
   */
  retry<T>(work: () => Promise<T>, isCancelled: () => boolean): Promise<T>
  /** Rejects with a `TroupeError`. Repeats work only if it was in conflict with another transaction. */
  attempt<T>(work: () => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Time in ms after which a connection attempt or a statement fails. */
const CONNECT_MS = 10_000
const STATEMENT_MS = 60_000
const FIRST_DELAY_MS = 50
const LONGEST_DELAY_MS = 2000
/** Attempts of work that conflicts with other transactions. */
const ATTEMPTS = 5

/** Creates a pool, which connects when it is used. Throws `usage_invalid` for an invalid address. */
export function createDatabase(options: DatabaseOptions): Database {
  const { url, poolSize, clock, random, onTrouble } = options
  const name = addressOf(url)
  const pool = new Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: STATEMENT_MS,
    keepAlive: true,
    application_name: 'troupe',
  })
  // A connection that fails while it is idle is replaced. Without a listener, the error would end the process.
  pool.on('error', ignore)
  pool.on('connect', (client) => client.on('error', ignore))
  const preparedNames = new Map<string, string>()
  let canPrepare = options.isPooler !== true
  let trouble: Failure | undefined
  /** Number of pieces of work that fail and are repeated. */
  let failing = 0

  function setTrouble(reason: Failure | undefined): void {
    if (trouble?.code === reason?.code) return
    trouble = reason
    onTrouble?.(reason)
  }

  async function wait(attempt: number): Promise<void> {
    const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt) * (0.5 + random() / 2)
    await new Promise<void>((resolve) => clock.after(delay, resolve))
  }

  /** Prepares a statement once per connection, because planning takes longer than executing most of them. */
  async function query<Row extends QueryResultRow>(
    text: string,
    values: readonly unknown[] = [],
  ): Promise<readonly Row[]> {
    if (!canPrepare) return (await pool.query<Row>(text, [...values])).rows
    const statement = preparedNames.get(text) ?? nameOf(text)
    preparedNames.set(text, statement)
    try {
      return (await pool.query<Row>({ name: statement, text, values: [...values] })).rows
    } catch (thrown) {
      if (!isPreparationFault(thrown)) throw thrown
      // a pooler that was not declared; the statement was not executed
      canPrepare = false
      return query(text, values)
    }
  }

  return {
    name,
    schema: `"${options.schema}"`,
    query,
    async transaction(work) {
      const client = await pool.connect()
      try {
        await client.query('BEGIN')
        const value = await work(client)
        await client.query('COMMIT')
        client.release()
        return value
      } catch (thrown) {
        await rollBack(client)
        throw thrown
      }
    },
    async retry(work, isCancelled) {
      let isFailing = false
      const finish = (): void => {
        if (isFailing) failing -= 1
        isFailing = false
      }
      for (let attempt = 0; ; attempt += 1) {
        try {
          const value = await work()
          finish()
          if (failing === 0) setTrouble(undefined)
          return value
        } catch (thrown) {
          const fault = faultOf(thrown)
          const error = storeError(thrown, name)
          if (fault === 'other' || isCancelled()) {
            finish()
            throw error
          }
          // a single broken connection is no trouble, because the first repetition uses another one
          if (attempt > 0 && fault !== 'busy') {
            if (!isFailing) failing += 1
            isFailing = true
            setTrouble(error.failure)
          }
          await wait(attempt)
        }
      }
    },
    async attempt(work) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await work()
        } catch (thrown) {
          if (faultOf(thrown) !== 'busy' || attempt === ATTEMPTS) throw storeError(thrown, name)
          await wait(attempt)
        }
      }
    },
    close: () => pool.end(),
  }
}

/**
 * Returns the name of a prepared statement. It depends only on the text, so that behind a pooler, where programs
 * share connections, a name can never execute another statement.
 */
function nameOf(text: string): string {
  return `troupe_${hash('sha256', text).slice(0, 32)}`
}

/** Ends a failed transaction. Closes the connection if that fails, too. */
async function rollBack(client: PoolClient): Promise<void> {
  try {
    await client.query('ROLLBACK')
    client.release()
  } catch {
    // the connection is broken, which ends the transaction as well
    client.release(true)
  }
}

function ignore(): void {}

/** Returns the address of a database without user, password and options. */
function addressOf(url: string): string {
  const { protocol, host, pathname } = parseAddress(url)
  return `${protocol}//${host}${pathname}`
}

function parseAddress(url: string): URL {
  // The error of `URL` contains the address with its password, so it is not passed on.
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed !== undefined && /^postgres(?:ql)?:$/u.test(parsed.protocol)) return parsed
  throw troupeError('usage_invalid', 'The address of the store is not a PostgreSQL address.', {
    fix: 'Use an address such as postgresql://user:password@host:5432/database. Write special characters of the password as %XX.',
  })
}

/**
 * Converts text to the form in which a `text` column stores it. PostgreSQL refuses U+0000 and lone
 * surrogates, so these and the characters that JSON escapes are escaped. Usual ids are unchanged.
 */
export function toColumn(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** Returns the text of a column. */
export function fromColumn(text: string): string {
  return JSON.parse(`"${text}"`) as string
}

/** Replaces what a column cannot store. For texts that are only searched. */
export function toSearchColumn(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\ufffd')
}
