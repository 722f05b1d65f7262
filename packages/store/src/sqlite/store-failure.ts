import { errorMessage, TroupeError, troupeError, type ErrorCode } from '@troupe/schema'

/** What SQLite says is wrong, as far as it matters what to do about it. */
export type StoreFault = 'busy' | 'full' | 'unavailable' | 'corrupt' | 'other'

/** Primary result codes of SQLite. */
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

/** What kind of fault something thrown by `node:sqlite` is. An error of input and output is mostly a disk without space. */
export function faultOf(thrown: unknown): StoreFault {
  // what was written as JSON is no JSON any more: a page of a long row was damaged, which SQLite does not notice
  if (thrown instanceof SyntaxError) return 'corrupt'
  if (typeof thrown !== 'object' || thrown === null || !('errcode' in thrown)) return 'other'
  // the upper bytes say more exactly what this byte says
  return FAULTS.get(Number(thrown.errcode) & 0xff) ?? 'other'
}

/** Something thrown while the store at the path was used, as an error of ours that names the path. */
export function storeError(thrown: unknown, path: string): TroupeError {
  if (TroupeError.isInstance(thrown)) return thrown
  const fault = faultOf(thrown)
  const fix =
    fault === 'corrupt' ? { fix: `Move it away, such as to ${path}.broken; a new one is made.` } : {}
  return troupeError(CODES[fault], `${path}: ${wording(fault)}: ${errorMessage(thrown)}.`, {
    ...fix,
    cause: thrown,
  })
}

function wording(fault: StoreFault): string {
  if (fault === 'full') return 'the store has no space'
  if (fault === 'corrupt') return 'this is no store of runs, or it is damaged'
  if (fault === 'busy') return 'other processes kept the store busy for too long'
  return 'the store cannot be used'
}
