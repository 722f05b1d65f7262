const CAPACITY = 64 * 1024

/** The end of a server's stderr. Reads everything, so that the server never blocks on writing. */
export interface OutputTail {
  push(chunk: Buffer): void
  /**
   * Returns the last `bytes` as trimmed text. Starts at a line break if possible, because half a secret would
   * not be redacted.
   */
  text(bytes: number): string
}

/** Creates an empty buffer that holds at least the last 64 KiB. */
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
    text: (bytes) => wholeLines(compact(), bytes).toString('utf8').trim(),
  }
}

function wholeLines(output: Buffer, bytes: number): Buffer {
  if (output.length <= bytes) return output
  const tail = output.subarray(-bytes)
  const lineEnd = tail.indexOf('\n')
  return tail.subarray(lineEnd + 1)
}
