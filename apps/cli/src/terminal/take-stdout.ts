import { Writable } from 'node:stream'

/**
 * Takes stdout away from everybody in the process: what is written to it goes to `notes` from then on. Only the stream that is given back writes
 * to it: a protocol on stdout is broken by one line of somebody else.
 */
export function takeStdout(stdout: NodeJS.WriteStream, notes: Writable): Writable {
  const write = stdout.write.bind(stdout)
  stdout.write = notes.write.bind(notes) as typeof stdout.write
  return new Writable({
    decodeStrings: false,
    write(chunk: string | Uint8Array, _encoding, done) {
      write(chunk, (thrown) => done(thrown ?? undefined))
    },
  })
}
