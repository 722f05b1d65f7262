import { readFileSync } from 'node:fs'
import { readCassette, type Cassette } from '@troupe/cassette'
import { errorMessage, troupeError } from '@troupe/schema'

/** Reads a recording. Throws `cassette_invalid`. */
export function readReplay(file: string): Cassette {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    throw troupeError('cassette_invalid', `${file} cannot be read: ${errorMessage(cause)}.`, { cause })
  }
  return readCassette(text, file)
}
