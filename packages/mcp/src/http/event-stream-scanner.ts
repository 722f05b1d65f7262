const LINE_FEED = 10
const CARRIAGE_RETURN = 13
const COLON = 58
const LETTER_I = 105
const LETTER_D = 100

/** Looks at the bytes of a server-sent event stream as they pass. */
export interface EventStreamScanner {
  push(chunk: Uint8Array): void
  /** Bytes of the event that is under way. */
  readonly eventBytes: number
  /** The server numbers its events, so a broken stream can be taken up again. */
  readonly resumable: boolean
}

/** A scanner at the start of a stream. */
export function createEventStreamScanner(): EventStreamScanner {
  let eventBytes = 0
  let column = 0
  let resumable = false
  let startsWithId = false

  function endLine(): void {
    if (column === 0) eventBytes = 0
    else if (startsWithId && column === 2) resumable = true
    column = 0
  }

  function look(byte: number): void {
    if (column === 0) startsWithId = byte === LETTER_I
    else if (column === 1) startsWithId &&= byte === LETTER_D
    else if (column === 2 && startsWithId && byte === COLON) resumable = true
    column += 1
  }

  return {
    push(chunk) {
      for (const byte of chunk) {
        eventBytes += 1
        if (byte === LINE_FEED) endLine()
        else if (byte !== CARRIAGE_RETURN) look(byte)
      }
    },
    get eventBytes() {
      return eventBytes
    },
    get resumable() {
      return resumable
    },
  }
}
