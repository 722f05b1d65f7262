import type { EventProducer } from './event-stream.ts'

/** A buffer of events for one client. */
export interface SseBuffer extends EventProducer {
  push(text: string): void
  /** Marks the stream as complete. */
  end(): void
}

/** Maximum length of the unread text of one client, in characters. */
const MAX_LENGTH = 1024 * 1024

/**
 * Creates an empty buffer. Text that is pushed in one turn of the event loop is sent in one write, because
 * fast models emit many pieces per turn. Pushing never blocks a run: if a client leaves more than 1 MiB
 * unread, the buffer is closed and `onOverflow` is called, because no event may be skipped.
 */
export function createSseBuffer({ onOverflow }: { onOverflow(): void }): SseBuffer {
  return new ClientSseBuffer(onOverflow)
}

/**
 * A class, because every stream has one and an object literal with a getter is only freed by a full garbage
 * collection.
 */
class ClientSseBuffer implements SseBuffer {
  isOver = false
  readonly #onOverflow: () => void
  #text = ''
  #isCalling = false
  #listener: (() => void) | undefined

  constructor(onOverflow: () => void) {
    this.#onOverflow = onOverflow
  }

  push(block: string): void {
    if (this.isOver) return
    this.#text += block
    if (this.#text.length <= MAX_LENGTH) return this.#callSoon()
    this.close()
    this.#onOverflow()
  }

  end(): void {
    this.isOver = true
    this.#listener?.()
  }

  close(): void {
    this.isOver = true
    this.#text = ''
    this.#listener?.()
  }

  read(): string | undefined {
    const text = this.#text
    this.#text = ''
    return text === '' ? undefined : text
  }

  onReady(listener: () => void): void {
    this.#listener = listener
    if (this.isOver || this.#text !== '') this.#callSoon()
  }

  #callSoon(): void {
    if (this.#isCalling || this.#listener === undefined) return
    this.#isCalling = true
    setImmediate(() => {
      this.#isCalling = false
      this.#listener?.()
    })
  }
}
