import { sha256Hex } from '@troupe/schema'

const ID_LENGTH = 32

/** The id of a child run: a function of where it was called, so a resumed parent finds its children again (decision 8). */
export function childRunId(place: {
  readonly parentRunId: string
  readonly turn: number
  readonly ordinal: number
  readonly attempt: number
}): string {
  const key = `${place.parentRunId}/${place.turn}.${place.ordinal}#${place.attempt}`
  return `run_${sha256Hex(key).slice(0, ID_LENGTH)}`
}

/** A fresh id of 128 random bits; ids are handles, so they cannot be guessed. */
export function randomId(prefix: string): string {
  if (used === RESERVE.length) {
    crypto.getRandomValues(RESERVE)
    used = 0
  }
  let digits = ''
  for (const end = used + ID_BYTES; used < end; used++) digits += HEX[RESERVE[used] ?? 0]
  return `${prefix}_${digits}`
}

/** Asking the system for random bytes costs as much as half a run, so they are fetched for many ids at once; none is used twice. */
const ID_BYTES = ID_LENGTH / 2
const RESERVE = new Uint8Array(64 * ID_BYTES)
let used = RESERVE.length

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
