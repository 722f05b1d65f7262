import { Writable } from 'node:stream'
import { plainText } from '@troupe/timeline/plain-text'

/**
 * Text that card functions print while a command runs. It goes to stderr, because stdout is for the answer.
 * Control characters are removed, because the text may come from a model.
 */
export interface Notes {
  /** Stream for such text. By default it writes to stderr at once. */
  readonly stream: Writable
  /** Sends the text to `sink` instead. Returns a function that undoes this. */
  divert(sink: (text: string) => void): () => void
}

/** Creates notes that go to `output` unless they are diverted. */
export function createNotes(output: Writable): Notes {
  const straight = (text: string): void => void output.write(text)
  let sink = straight
  return {
    stream: new Writable({
      decodeStrings: false,
      write(chunk: unknown, _encoding, done) {
        sink(plainText(String(chunk), { lines: true }))
        done()
      },
    }),
    divert(elsewhere) {
      sink = elsewhere
      return () => {
        sink = straight
      }
    },
  }
}
