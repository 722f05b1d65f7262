import type { EventProducer } from './event-stream.ts'

/**
 * Merges sources into one stream that ends with the first of them. The sources are read in turn, so that none waits
 * for another. A source that is over is closed.
 */
export function mergeProducers([main, ...others]: readonly [
  EventProducer,
  ...EventProducer[],
]): EventProducer {
  const open = new Set([main, ...others])
  let listener: (() => void) | undefined
  let isClosed = false

  function close(): void {
    isClosed = true
    for (const source of open) source.close()
    open.clear()
    listener?.()
  }

  return {
    get isOver() {
      return isClosed || main.isOver
    },
    read() {
      for (const source of open) {
        const piece = source.read()
        if (piece !== undefined) {
          // The next read begins with the other sources.
          open.delete(source)
          open.add(source)
          return piece
        }
        if (!source.isOver || source === main) continue
        open.delete(source)
        source.close()
      }
      return undefined
    },
    onReady(callback) {
      listener = callback
      for (const source of open) source.onReady(callback)
    },
    close,
  }
}
