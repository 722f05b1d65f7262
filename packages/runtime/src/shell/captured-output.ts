const HEAD = 16 * 1024
const TAIL = 48 * 1024

/** Start and end of a command's output. Bytes in between are counted but not stored. */
export interface CapturedOutput {
  push(chunk: Buffer): void
  /** Returns the number of bytes written in all. */
  bytes(): number
  /** Returns true if the middle is missing. */
  isCut(): boolean
  text(): string
}

/** Creates an empty capture that stores the first 16 KiB and the last 48 KiB. */
export function captureOutput(): CapturedOutput {
  const head: Buffer[] = []
  let headSize = 0
  let tail: Buffer[] = []
  let tailSize = 0
  let total = 0

  function compact(): Buffer {
    const kept = Buffer.from(Buffer.concat(tail, tailSize).subarray(-TAIL))
    tail = [kept]
    tailSize = kept.length
    return kept
  }

  function text(): string {
    const end = compact()
    const left = total - headSize - end.length
    if (left === 0) return Buffer.concat([...head, end]).toString('utf8')
    const note = `\n[… ${left} bytes omitted …]\n`
    return startOf(Buffer.concat(head)) + note + endOf(end)
  }

  return {
    push(chunk) {
      total += chunk.length
      const first = chunk.subarray(0, HEAD - headSize)
      if (first.length > 0) head.push(first)
      headSize += first.length
      if (first.length === chunk.length) return
      tail.push(chunk.subarray(first.length))
      tailSize += chunk.length - first.length
      if (tailSize > 2 * TAIL) compact()
    },
    bytes: () => total,
    isCut: () => total > HEAD + TAIL,
    text,
  }
}

/** Decodes bytes without an incomplete character at the end. */
function startOf(bytes: Buffer): string {
  return new TextDecoder().decode(bytes, { stream: true })
}

/** Decodes bytes without an incomplete character at the start. */
function endOf(bytes: Buffer): string {
  let at = 0
  while (at < 3 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at += 1
  return bytes.toString('utf8', at)
}
