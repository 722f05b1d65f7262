import { Writable } from 'node:stream'
import { plainText } from '@troupe/timeline/plain-text'

/**
 * The text that functions of cards print while a command runs. It never reaches stdout, which is for the answer, and contains no control
 * characters: a function may print what a model gave it.
 */
export interface Notes {
  /** Where such text goes by default: to stderr as it comes. */
  readonly stream: Writable
  /** Sends the text elsewhere, such as above what is drawn; the answer takes it back. */
  divert(sink: (text: string) => void): () => void
}

/** Notes that go to `output` unless they are diverted. */
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
