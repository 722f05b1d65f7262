const LINE_FEED = 10
const KEPT_OF_OVERSIZE = 4096

/** What a line reader does with what it finds. */
export interface LineSink {
  line(text: string): void
  /** A line over the limit was dropped; these are its first and last 4 KiB. */
  oversize(head: string, tail: string): void
}

/** Cuts a stream of bytes into lines of at most `maxBytes`; longer ones cost no memory and do not disturb those after them. */
export interface LineReader {
  push(chunk: Buffer): void
  /** The stream is over: what came after the last line feed is a line too. */
  end(): void
}

/** A reader that keeps at most one line. */
export function createLineReader(sink: LineSink, options: { readonly maxBytes: number }): LineReader {
  let parts: Buffer[] = []
  let size = 0
  let oversize: { readonly head: Buffer; tail: Buffer } | undefined

  function take(part: Buffer): void {
    parts.push(part)
    size += part.length
    if (oversize === undefined && size <= options.maxBytes) return
    const all = Buffer.concat([...(oversize === undefined ? [] : [oversize.tail]), ...parts])
    oversize ??= { head: Buffer.from(all.subarray(0, KEPT_OF_OVERSIZE)), tail: all }
    oversize.tail = Buffer.from(all.subarray(-KEPT_OF_OVERSIZE))
    parts = []
    size = 0
  }

  function finish(): void {
    const [whole] = parts
    if (oversize !== undefined) sink.oversize(oversize.head.toString('utf8'), oversize.tail.toString('utf8'))
    // most lines come in one piece, which need not be copied first
    else if (whole?.length === size) sink.line(whole.toString('utf8'))
    else sink.line(Buffer.concat(parts, size).toString('utf8'))
    parts = []
    size = 0
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
      if (size > 0 || oversize !== undefined) finish()
    },
  }
}
