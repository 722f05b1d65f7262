import type { EventSource } from './event-source.ts'

/** What a client has not taken yet of a stream that is made for it alone. */
export interface Outbox extends EventSource {
  push(text: string): void
  /** Nothing comes any more. */
  end(): void
}

/** Most that is kept for one client, in characters. */
const LARGEST = 1024 * 1024

/**
 * An empty outbox. What is pushed until the event loop turns goes out in one write: a model that is fast gives many pieces in one turn. It never makes a run
 * wait; a client so slow that more than 1 MiB waits for it is `dropped`, as nothing may be left out.
 */
export function createOutbox({ dropped }: { dropped(): void }): Outbox {
  let text = ''
  let isOver = false
  let isCalling = false
  let listener: (() => void) | undefined
  const call = (): void => {
    isCalling = false
    listener?.()
  }
  const callSoon = (): void => {
    if (isCalling || listener === undefined) return
    isCalling = true
    setImmediate(call)
  }
  const close = (): void => {
    isOver = true
    text = ''
    listener?.()
  }
  return {
    get isOver() {
      return isOver
    },
    push(block) {
      if (isOver) return
      text += block
      if (text.length <= LARGEST) return callSoon()
      close()
      dropped()
    },
    end() {
      isOver = true
      listener?.()
    },
    close,
    read() {
      const taken = text
      text = ''
      return taken === '' ? undefined : taken
    },
    onReady(told) {
      listener = told
      if (isOver || text !== '') callSoon()
    },
  }
}
