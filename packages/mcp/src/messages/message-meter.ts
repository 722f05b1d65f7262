const MEBIBYTE = 1024 * 1024
/**
 * Limit of values in one message. Parsing more would block the event loop for over 250 ms and use hundreds of
 * MiB.
 */
const MAX_VALUES = 500_000
const MAX_KEYS = 100_000

const QUOTE = 34
const BACKSLASH = 92
const COMMA = 44
const COLON = 58
const OPEN_LIST = 91
const OPEN_OBJECT = 123

/** Measures a JSON message as its bytes arrive, before it is parsed. */
export class MessageMeter {
  readonly #maxBytes: number
  #bytes = 0
  #values = 0
  #keys = 0
  #isInText = false
  #isEscaped = false

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Reason why the message is too large; `undefined` if it is not. */
  get excess(): string | undefined {
    if (this.#bytes > this.#maxBytes) return `is larger than ${shownBytes(this.#maxBytes)}`
    if (this.#keys > MAX_KEYS) return `has more than ${MAX_KEYS} keys`
    return this.#values > MAX_VALUES ? `has more than ${MAX_VALUES} values` : undefined
  }

  add(chunk: Uint8Array): void {
    this.#bytes += chunk.length
    let values = 0
    let keys = 0
    let isInText = this.#isInText
    let isEscaped = this.#isEscaped
    for (const byte of chunk) {
      if (isInText) {
        if (isEscaped) isEscaped = false
        else if (byte === BACKSLASH) isEscaped = true
        else if (byte === QUOTE) isInText = false
      } else if (byte === QUOTE) isInText = true
      else if (byte === COLON) keys += 1
      else if (byte === COMMA || byte === OPEN_LIST || byte === OPEN_OBJECT) values += 1
    }
    this.#values += values
    this.#keys += keys
    this.#isInText = isInText
    this.#isEscaped = isEscaped
  }

  reset(): void {
    this.#bytes = 0
    this.#values = 0
    this.#keys = 0
    this.#isInText = false
    this.#isEscaped = false
  }
}

function shownBytes(bytes: number): string {
  return bytes >= MEBIBYTE ? `${Math.floor(bytes / MEBIBYTE)} MiB` : `${bytes} bytes`
}
