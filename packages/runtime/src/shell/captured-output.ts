const HEAD = 16 * 1024
const TAIL = 48 * 1024

/** The start and the end of what a command writes; a flood between them is counted and let go. */
export interface CapturedOutput {
  push(chunk: Buffer): void
  /** All that was written. */
  bytes(): number
  /** True when its middle is missing. */
  isCut(): boolean
  text(): string
}

/** An empty one; keeps 16 KiB of the start and 48 KiB of the end. */
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
    const note = `\n[… ${left} bytes left out …]\n`
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

/** Without the piece of a character at its end. */
function startOf(bytes: Buffer): string {
  return new TextDecoder().decode(bytes, { stream: true })
}

/** Without the piece of a character at its start. */
function endOf(bytes: Buffer): string {
  let at = 0
  while (at < 3 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at += 1
  return bytes.toString('utf8', at)
}
