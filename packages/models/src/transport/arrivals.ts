/** Bytes that may wait for their reader before the provider is made to wait. */
const MOST_WAITING = 1_048_576

export type Bytes = Buffer<ArrayBuffer>

/** How a body ends. `cut`: why the rest of it does not come. */
export interface BodyEnd {
  readonly cut?: unknown
}

/** Where the body of an answer goes as it comes. */
export interface BodySink {
  /** False: enough waits; whoever sends is told when there is room. */
  push(piece: Bytes): boolean
  end(how: BodyEnd): void
}

/** What has come of a body and is not read yet. */
export class Arrivals implements BodySink {
  readonly #makeRoom: () => void
  #pieces: Bytes[] = []
  #size = 0
  #end: BodyEnd | undefined
  #wake: (() => void) | undefined

  /** `makeRoom` is called when there is room again after there was none. */
  constructor(makeRoom: () => void) {
    this.#makeRoom = makeRoom
  }

  push(piece: Bytes): boolean {
    this.#size += piece.length
    if (this.#pieces.push(piece) === 1) this.ring()
    return this.#size <= MOST_WAITING
  }

  end(how: BodyEnd): void {
    this.#end ??= how
    this.ring()
  }

  /** Whoever waits looks again. */
  ring(): void {
    this.#wake?.()
  }

  /** Resolves when there is something to take, or at a ring. */
  some(): Promise<void> | undefined {
    if (this.#pieces.length > 0 || this.#end !== undefined) return undefined
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  /** All of it as one piece, as streams cost by the piece; undefined: the body has ended. Throws when the line was cut. */
  take(): Bytes | undefined {
    const [first] = this.#pieces
    if (first === undefined) {
      if (this.#end?.cut !== undefined) throw new TypeError('terminated', { cause: this.#end.cut })
      return undefined
    }
    const all = this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces)
    const wasFull = this.#size > MOST_WAITING
    this.#pieces = []
    this.#size = 0
    if (wasFull) this.#makeRoom()
    return all
  }
}
