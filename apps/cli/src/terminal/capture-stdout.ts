import { Writable } from 'node:stream'

/**
 * Redirects all writes to stdout to `notes` and returns a stream that still writes to stdout. A single
 * foreign line would break a protocol on stdout.
 */
export function captureStdout(stdout: NodeJS.WriteStream, notes: Writable): Writable {
  const write = stdout.write.bind(stdout)
  stdout.write = notes.write.bind(notes) as typeof stdout.write
  return new Writable({
    decodeStrings: false,
    write(chunk: string | Uint8Array, _encoding, done) {
      write(chunk, (thrown) => done(thrown ?? undefined))
    },
  })
}
