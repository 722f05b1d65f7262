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
  return new ClientOutbox(dropped)
}

/** A class, as every stream has one: an object with a getter of its own outlives its stream until everything is collected. */
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
