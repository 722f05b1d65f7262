const CAPACITY = 64 * 1024

/** The end of what a server writes to stderr. Takes everything, so the server never blocks on it. */
export interface OutputTail {
  push(chunk: Buffer): void
  /** The last `bytes` as text, without blank space at its ends. It begins with a whole line where it can: half a secret would not be known as one. */
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
    text: (bytes) => wholeLines(compact(), bytes).toString('utf8').trim(),
  }
}

function wholeLines(output: Buffer, bytes: number): Buffer {
  if (output.length <= bytes) return output
  const tail = output.subarray(-bytes)
  const lineEnd = tail.indexOf('\n')
  return tail.subarray(lineEnd + 1)
}
