import type { EventSource } from './event-stream.ts'
import { nextTick } from './next-tick.ts'

/** What a client has not taken yet of a stream that is made for it alone. */
export interface Outbox extends EventSource {
  push(text: string): void
  /** Nothing comes any more. */
  end(): void
}

/** Most that is kept for one client, in characters. */
const LARGEST = 1024 * 1024

/** An empty outbox. It never makes a run wait; a client so slow that more than 1 MiB waits for it is `dropped`, as nothing may be left out. */
export function createOutbox({ dropped }: { dropped(): void }): Outbox {
  let texts: string[] = []
  let size = 0
  let isOver = false
  let wake: (() => void) | undefined
  const ring = (): void => {
    wake?.()
    wake = undefined
  }
  const close = (): void => {
    isOver = true
    texts = []
    ring()
  }
  return {
    push(text) {
      if (isOver) return
      texts.push(text)
      size += text.length
      if (size <= LARGEST) return ring()
      close()
      dropped()
    },
    end() {
      isOver = true
      ring()
    },
    close,
    async next() {
      if (texts.length === 0 && !isOver)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      if (!isOver) await nextTick()
      if (texts.length === 0) return undefined
      const text = texts.join('')
      texts = []
      size = 0
      return text
    },
  }
}
