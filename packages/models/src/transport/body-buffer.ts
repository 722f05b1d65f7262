/** Number of buffered bytes above which the provider is paused. */
const MAX_BUFFERED_BYTES = 1_048_576

export type Bytes = Buffer<ArrayBuffer>

/** End of a body. `cut` is the error if the body is incomplete. */
export interface BodyEnd {
  readonly cut?: unknown
}

/** Receiver of a response body. */
export interface BodySink {
  /** Returns false if the buffer is full and the sender should pause. */
  push(piece: Bytes): boolean
  end(how: BodyEnd): void
}

/** Buffer for the unread part of a body. */
export class BodyBuffer implements BodySink {
  readonly #onDrain: () => void
  #pieces: Bytes[] = []
  #size = 0
  #end: BodyEnd | undefined
  #wake: (() => void) | undefined

  /** The callback is called when a full buffer has been read. */
  constructor(onDrain: () => void) {
    this.#onDrain = onDrain
  }

  push(piece: Bytes): boolean {
    this.#size += piece.length
    if (this.#pieces.push(piece) === 1) this.wake()
    return this.#size <= MAX_BUFFERED_BYTES
  }

  end(how: BodyEnd): void {
    this.#end ??= how
    this.wake()
  }

  /** Wakes a waiting reader. */
  wake(): void {
    this.#wake?.()
  }

  /**
   * Resolves when data or the end is available, or when the reader is woken. Returns `undefined` if either is
   * already available.
   */
  waitForData(): Promise<void> | undefined {
    if (this.#pieces.length > 0 || this.#end !== undefined) return undefined
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  /**
   * Takes all buffered bytes as one chunk, because streams have a cost per chunk. Returns `undefined` at the
   * end. Throws if the body is incomplete.
   */
  take(): Bytes | undefined {
    const [first] = this.#pieces
    if (first === undefined) {
      if (this.#end?.cut !== undefined) throw new TypeError('terminated', { cause: this.#end.cut })
      return undefined
    }
    const all = this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces)
    const wasFull = this.#size > MAX_BUFFERED_BYTES
    this.#pieces = []
    this.#size = 0
    if (wasFull) this.#onDrain()
    return all
  }
}
