import type { EventProducer } from './event-stream.ts'

/** The events of one answer, which any number of clients read, each from its own position and at its own pace. */
export interface EventLog {
  /** Length of the events in memory, in characters. */
  readonly size: number
  push(block: string): void
  /** Marks the log as complete. */
  end(): void
  /** Returns the events from an index on, or `undefined` if some of them are no longer in memory. */
  follow(index: number): EventProducer | undefined
}

/** Maximum length of a log, in characters. The older half of its events is dropped beyond it. */
const MAX_LENGTH = 8 * 1024 * 1024
/** Maximum number of events that one read returns. */
const READ_AT_ONCE = 500

/** Creates an empty log. */
export function createEventLog({ maxLength = MAX_LENGTH }: { readonly maxLength?: number } = {}): EventLog {
  const listeners = new Set<() => void>()
  let blocks: string[] = []
  // index of the first block in memory
  let start = 0
  let size = 0
  let isOver = false
  let isCalling = false
  const callListeners = (): void => {
    isCalling = false
    for (const listener of listeners) listener()
  }
  const callSoon = (): void => {
    if (isCalling) return
    isCalling = true
    setImmediate(callListeners)
  }
  const dropOlderHalf = (): void => {
    const count = Math.ceil(blocks.length / 2)
    blocks = blocks.slice(count)
    start += count
    size = blocks.reduce((sum, { length }) => sum + length, 0)
  }

  return {
    get size() {
      return size
    },
    push(block) {
      if (isOver) return
      blocks.push(block)
      size += block.length
      if (size > maxLength) dropOlderHalf()
      callSoon()
    },
    end() {
      isOver = true
      callSoon()
    },
    follow(index) {
      if (index < start) return undefined
      let position = index
      let isClosed = false
      let listener: (() => void) | undefined
      return {
        // a client that is too slow misses events, so it has to reconnect
        get isOver() {
          return isClosed || position < start || (isOver && position >= start + blocks.length)
        },
        read() {
          if (isClosed || position < start) return undefined
          const next = blocks.slice(position - start, position - start + READ_AT_ONCE)
          position += next.length
          return next.length === 0 ? undefined : next.join('')
        },
        onReady(callback) {
          listener = callback
          listeners.add(callback)
          callSoon()
        },
        close() {
          isClosed = true
          if (listener === undefined) return
          listeners.delete(listener)
          listener()
        },
      }
    },
  }
}
