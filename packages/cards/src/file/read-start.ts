import { closeSync, constants, openSync, readSync } from 'node:fs'
import { MAX_CARD_BYTES } from './card-text.ts'

/** A file that became a pipe since its folder was read must not block. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK

let shared: Buffer | undefined

/**
 * The bytes of a file, of a larger one as many as show that it is too large for a card: sizes need not be asked for first. They are good
 * until the next call. Throws what the system says.
 */
export function readStart(path: string): Buffer {
  shared ??= Buffer.allocUnsafeSlow(MAX_CARD_BYTES + 1)
  const file = openSync(path, FLAGS)
  try {
    let length = 0
    for (let read = -1; read !== 0 && length < shared.length; length += read)
      read = readSync(file, shared, length, shared.length - length, null)
    return shared.subarray(0, length)
  } finally {
    closeSync(file)
  }
}
