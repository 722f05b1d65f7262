import type { EventSource } from './event-source.ts'

/** A buffer of events for one client. */
export interface Outbox extends EventSource {
  push(text: string): void
  /** Marks the stream as complete. */
  end(): void
}

/** Maximum length of the unread text of one client, in characters. */
const LARGEST = 1024 * 1024

/**
 * Creates an empty buffer. Text that is pushed in one turn of the event loop is sent in one write, because
 * fast models emit many pieces per turn. Pushing never blocks a run: if a client leaves more than 1 MiB
 * unread, the buffer is closed and `onOverflow` is called, because no event may be skipped.
 */
export function createOutbox({ dropped }: { dropped(): void }): Outbox {
  return new ClientOutbox(dropped)
}

/**
 * A class, because every stream has one and an object literal with a getter is only freed by a full garbage
 * collection.
 */
class ClientOutbox implements Outbox {
  isOver = false
  readonly #dropped: () => void
  #text = ''
  #isCalling = false
  #listener: (() => void) | undefined

  constructor(dropped: () => void) {
    this.#dropped = dropped
  }

  push(block: string): void {
    if (this.isOver) return
    this.#text += block
    if (this.#text.length <= LARGEST) return this.#callSoon()
    this.close()
    this.#dropped()
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
    const taken = this.#text
    this.#text = ''
    return taken === '' ? undefined : taken
  }

  onReady(told: () => void): void {
    this.#listener = told
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
