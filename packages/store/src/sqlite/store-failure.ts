import { errorMessage, TroupeError, troupeError, type ErrorCode } from '@troupe/schema'

/** Faults of SQLite, by the required reaction. */
type StoreFault = 'busy' | 'full' | 'unavailable' | 'corrupt' | 'other'

/** Faults by primary result code of SQLite. */
const FAULTS: ReadonlyMap<number, StoreFault> = new Map([
  [5, 'busy'],
  [6, 'busy'],
  [8, 'unavailable'],
  [10, 'full'],
  [11, 'corrupt'],
  [13, 'full'],
  [14, 'unavailable'],
  [26, 'corrupt'],
])

const CODES = {
  busy: 'store_unavailable',
  full: 'store_full',
  unavailable: 'store_unavailable',
  corrupt: 'store_corrupt',
  other: 'internal',
} as const satisfies Record<StoreFault, ErrorCode>

/**
 * Returns the fault of an error thrown by `node:sqlite`. An I/O error usually means that the disk is full.
 */
export function faultOf(thrown: unknown): StoreFault {
  // Stored JSON that cannot be parsed: a page of a long row was damaged, which SQLite does not detect.
  if (thrown instanceof SyntaxError) return 'corrupt'
  if (typeof thrown !== 'object' || thrown === null || !('errcode' in thrown)) return 'other'
  // the lowest byte is the primary result code, the others are details
  return FAULTS.get(Number(thrown.errcode) & 0xff) ?? 'other'
}

/** Converts an error of the store to a {@link TroupeError} that names the path. */
export function storeError(thrown: unknown, path: string): TroupeError {
  if (TroupeError.isInstance(thrown)) return thrown
  const fault = faultOf(thrown)
  const fix =
    fault === 'corrupt'
      ? { fix: `Move the file, for example to ${path}.broken; a new store is then created.` }
      : {}
  return troupeError(CODES[fault], `${path}: ${wording(fault)}: ${errorMessage(thrown)}.`, {
    ...fix,
    cause: thrown,
  })
}

function wording(fault: StoreFault): string {
  if (fault === 'full') return 'the store is full'
  if (fault === 'corrupt') return 'this is not a run store, or it is damaged'
  if (fault === 'busy') return 'the store was locked by other processes for too long'
  return 'the store cannot be used'
}
