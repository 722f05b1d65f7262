const CAPACITY = 64 * 1024

/** The end of what a server writes to stderr. Takes everything, so the server never blocks on it. */
export interface OutputTail {
  push(chunk: Buffer): void
  /** The last `bytes` as text, without blank space at its ends. */
  text(bytes: number): string
}

/** An empty tail that keeps 64 KiB. */
export function createOutputTail(): OutputTail {
  let chunks: Buffer[] = []
  let size = 0

  function compact(): Buffer {
    const kept = Buffer.from(Buffer.concat(chunks, size).subarray(-CAPACITY))
    chunks = [kept]
    size = kept.length
    return kept
  }

  return {
    push(chunk) {
      chunks.push(chunk)
      size += chunk.length
      if (size > 2 * CAPACITY) compact()
    },
    text: (bytes) => compact().subarray(-bytes).toString('utf8').trim(),
  }
}
