import { MessageSize } from './message-size.ts'

const LINE_FEED = 10
const KEPT_OF_OVERSIZE = 4096

/** What a line reader does with what it finds. */
export interface LineSink {
  line(text: string): void
  /** A line over a limit was dropped; these are its first and last 4 KiB, and how it is too large. */
  oversize(head: string, tail: string, excess: string): void
}

/** Cuts a stream of bytes into lines of at most `maxBytes`; larger ones cost no memory and do not disturb those after them. */
export interface LineReader {
  push(chunk: Buffer): void
  /** The stream is over: what came after the last line feed is a line too. */
  end(): void
}

/** A reader that keeps at most one line. */
export function createLineReader(sink: LineSink, options: { readonly maxBytes: number }): LineReader {
  let parts: Buffer[] = []
  const size = new MessageSize(options.maxBytes)
  let oversize: { readonly head: Buffer; tail: Buffer; readonly excess: string } | undefined

  function take(part: Buffer): void {
    parts.push(part)
    if (oversize === undefined) size.add(part)
    const excess = oversize?.excess ?? size.excess
    if (excess === undefined) return
    const all = Buffer.concat([...(oversize === undefined ? [] : [oversize.tail]), ...parts])
    oversize ??= { head: Buffer.from(all.subarray(0, KEPT_OF_OVERSIZE)), tail: all, excess }
    oversize.tail = Buffer.from(all.subarray(-KEPT_OF_OVERSIZE))
    parts = []
  }

  function finish(): void {
    const [whole] = parts
    if (oversize !== undefined)
      sink.oversize(oversize.head.toString('utf8'), oversize.tail.toString('utf8'), oversize.excess)
    // most lines come in one piece, which need not be copied first
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
