import { errorMessage, TroupeError, troupeError, type ErrorCode } from '@troupe/schema'

/** Faults of the connection or the server, by the required reaction. */
type DatabaseFault = 'unavailable' | 'busy' | 'full' | 'refused' | 'other'

const CODES = {
  unavailable: 'store_unavailable',
  busy: 'store_unavailable',
  full: 'store_full',
  refused: 'store_unavailable',
  other: 'internal',
} as const satisfies Record<DatabaseFault, ErrorCode>

/** Faults by SQLSTATE, or by its first two characters. */
const FAULTS: ReadonlyMap<string, DatabaseFault> = new Map([
  ['08', 'unavailable'], // the connection failed
  ['57P01', 'unavailable'], // the server is shut down
  ['57P02', 'unavailable'], // another process of the server crashed
  ['57P03', 'unavailable'], // the server starts, or recovers from a crash
  ['57P05', 'unavailable'], // the session was idle for too long
  ['53300', 'unavailable'], // too many connections
  ['25006', 'unavailable'], // read only, for instance because another server took over
  ['40001', 'busy'],
  ['40P01', 'busy'],
  ['55P03', 'busy'],
  ['23503', 'busy'], // a root run was purged while it was opened
  ['53', 'full'],
  ['28', 'refused'], // the user may not connect
  ['3D000', 'refused'], // there is no such database
  ['42501', 'refused'], // the user may not create or use the tables
])

/** Errors of `pg` without a code: the connection was closed, or was not made in time. */
const CONNECTION_ERROR = /connection|timeout|not queryable/iu

/** Codes of the operating system, such as ECONNREFUSED, and of TLS. No SQLSTATE starts with E. */
const SYSTEM_CODE = /^E(?!RR_)|CERT|SSL|TLS/u

/** Returns the fault of an error thrown by `pg`. */
export function faultOf(thrown: unknown): DatabaseFault {
  if (!(thrown instanceof Error) || TroupeError.isInstance(thrown)) return 'other'
  const { code } = thrown as NodeJS.ErrnoException
  if (typeof code !== 'string') return CONNECTION_ERROR.test(thrown.message) ? 'unavailable' : 'other'
  if (SYSTEM_CODE.test(code)) return 'unavailable'
  return FAULTS.get(code) ?? FAULTS.get(code.slice(0, 2)) ?? 'other'
}

/** SQLSTATEs of a prepared statement that the connection does not have, or has already. */
const PREPARATION_FAULTS: ReadonlySet<unknown> = new Set(['26000', '42P05'])

/** Returns true if a statement was not executed because a pooler has changed the connection since it was prepared. */
export function isPreparationFault(thrown: unknown): boolean {
  return thrown instanceof Error && PREPARATION_FAULTS.has((thrown as NodeJS.ErrnoException).code)
}

/**
 * Returns true for errors of a database that is away, busy or full, whether thrown by `pg` or by the store: the
 * same work may succeed later.
 */
export function isTemporaryFault(thrown: unknown): boolean {
  if (TroupeError.isInstance(thrown))
    return thrown.code === 'store_unavailable' || thrown.code === 'store_full'
  const fault = faultOf(thrown)
  return fault !== 'other' && fault !== 'refused'
}

/** Converts an error of `pg` to a {@link TroupeError} that names the store. */
export function storeError(thrown: unknown, name: string): TroupeError {
  if (TroupeError.isInstance(thrown)) return thrown
  const fault = faultOf(thrown)
  return troupeError(CODES[fault], `${name}: ${wording(fault)}: ${errorMessage(thrown)}.`, {
    ...fixOf(fault),
    cause: thrown,
  })
}

function wording(fault: DatabaseFault): string {
  if (fault === 'full') return 'the server has no space or memory left'
  if (fault === 'refused') return 'the server refused access'
  return fault === 'other' ? 'the store cannot be used' : 'the server cannot be reached'
}

function fixOf(fault: DatabaseFault): { readonly fix?: string } {
  if (fault === 'unavailable') return { fix: 'Check the address, and that PostgreSQL is running.' }
  if (fault === 'refused') return { fix: 'Check user, password, database and the rights of the user.' }
  return {}
}
