import { closeSync, constants, openSync, readSync } from 'node:fs'
import { MAX_CARD_BYTES } from './card-text.ts'

/** Avoids blocking if the file was replaced by a pipe after its folder was read. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK

let shared: Buffer | undefined

/**
 * Reads a file up to one byte over the size limit of cards, which saves querying its size. The result is
 * valid until the next call. Throws system errors.
 */
export function readCardBytes(path: string): Buffer {
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
