import { sha256Hex } from '@troupe/schema'

const ID_LENGTH = 32

/** Derives the id of a child run from its call, so that a resumed parent finds its children again. */
export function childRunId(position: {
  readonly parentRunId: string
  readonly turn: number
  readonly ordinal: number
  readonly attempt: number
}): string {
  const key = `${position.parentRunId}/${position.turn}.${position.ordinal}#${position.attempt}`
  return `run_${sha256Hex(key).slice(0, ID_LENGTH)}`
}

/** Creates a random id of 128 bits. Ids are handles, so they must not be guessable. */
export function randomId(prefix: string): string {
  if (used === RESERVE.length) {
    crypto.getRandomValues(RESERVE)
    used = 0
  }
  let digits = ''
  for (const end = used + ID_BYTES; used < end; used++) digits += HEX[RESERVE[used] ?? 0]
  return `${prefix}_${digits}`
}

/** Random bytes are fetched for many ids at once, because a system call costs as much as half a run. */
const ID_BYTES = ID_LENGTH / 2
const RESERVE = new Uint8Array(64 * ID_BYTES)
let used = RESERVE.length

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
