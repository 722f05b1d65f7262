const LINE_FEED = 10

/**
 * Creates a splitter of a byte stream into lines. Splits at line feeds only, since the text of a message may
 * contain other line separators. Calls `onOversize` once if a line exceeds `maxBytes`, and reads nothing
 * after that.
 */
export function createLineSplitter(
  onLine: (line: string) => void,
  { maxBytes, onOversize }: { readonly maxBytes: number; onOversize(): void },
): (chunk: Buffer) => void {
  let parts: Buffer[] = []
  let size = 0
  let isOver = false

  function add(part: Buffer): void {
    parts.push(part)
    size += part.length
    if (size <= maxBytes) return
    isOver = true
    parts = []
    onOversize()
  }

  return (chunk) => {
    let start = 0
    for (let at = chunk.indexOf(LINE_FEED); at !== -1 && !isOver; at = chunk.indexOf(LINE_FEED, start)) {
      add(chunk.subarray(start, at))
      if (isOver) return
      const line = Buffer.concat(parts, size).toString('utf8')
      parts = []
      size = 0
      start = at + 1
      onLine(line)
    }
    if (!isOver && start < chunk.length) add(chunk.subarray(start))
  }
}
