import { MessageMeter } from '../messages/message-meter.ts'

const LINE_FEED = 10
const OVERSIZE_EXCERPT_BYTES = 4096

/** Callbacks of a line reader. */
interface LineSink {
  line(text: string): void
  /** Called when a line exceeds a limit, with its first and last 4 KiB and the reason. */
  oversize(head: string, tail: string, excess: string): void
}

/**
 * Splits a byte stream into lines of at most `maxBytes`. Larger lines are dropped without being held in
 * memory.
 */
export interface LineReader {
  push(chunk: Buffer): void
  /** Ends the stream. Bytes after the last line feed form the last line. */
  end(): void
}

/** Creates a reader that buffers at most one line. */
export function createLineReader(sink: LineSink, options: { readonly maxBytes: number }): LineReader {
  let parts: Buffer[] = []
  const size = new MessageMeter(options.maxBytes)
  let oversize: { readonly head: Buffer; tail: Buffer; readonly excess: string } | undefined

  function take(part: Buffer): void {
    parts.push(part)
    if (oversize === undefined) size.add(part)
    const excess = oversize?.excess ?? size.excess
    if (excess === undefined) return
    const all = Buffer.concat([...(oversize === undefined ? [] : [oversize.tail]), ...parts])
    oversize ??= { head: Buffer.from(all.subarray(0, OVERSIZE_EXCERPT_BYTES)), tail: all, excess }
    oversize.tail = Buffer.from(all.subarray(-OVERSIZE_EXCERPT_BYTES))
    parts = []
  }

  function finish(): void {
    const [whole] = parts
    if (oversize !== undefined)
      sink.oversize(oversize.head.toString('utf8'), oversize.tail.toString('utf8'), oversize.excess)
    // most lines arrive in a single chunk, which needs no copy
    else if (whole?.length === size.bytes) sink.line(whole.toString('utf8'))
    else sink.line(Buffer.concat(parts, size.bytes).toString('utf8'))
    parts = []
    size.reset()
    oversize = undefined
  }

  return {
    push(chunk) {
      let start = 0
      for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, start)) {
        take(chunk.subarray(start, at))
        finish()
        start = at + 1
      }
      if (start < chunk.length) take(chunk.subarray(start))
    },
    end() {
      if (size.bytes > 0 || oversize !== undefined) finish()
    },
  }
}
