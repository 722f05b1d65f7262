import { MessageMeter } from '../stdio/message-meter.ts'

const LINE_FEED = 10
const CARRIAGE_RETURN = 13
const COLON = 58
const LETTER_I = 105
const LETTER_D = 100

/** Scans the bytes of a server-sent event stream. */
export interface EventStreamScanner {
  push(chunk: Uint8Array): void
  /** Size of the current event so far, in bytes. */
  readonly eventBytes: number
  /** Reason why an event is too large; `undefined` if none is. */
  readonly excess: string | undefined
  /** True if the server sends event ids, so that a broken stream can be resumed. */
  readonly resumable: boolean
}

/** Creates a scanner for the start of a stream. */
export function createEventStreamScanner(maxEventBytes: number = Infinity): EventStreamScanner {
  const size = new MessageMeter(maxEventBytes)
  let excess: string | undefined
  let column = 0
  let resumable = false
  let startsWithId = false

  function endEvent(rest: Uint8Array): void {
    size.add(rest)
    excess ??= size.excess
    size.reset()
  }

  function endLine(): void {
    if (startsWithId && column === 2) resumable = true
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
      let eventStart = 0
      for (let index = 0; index < chunk.length; index += 1) {
        const byte = chunk[index] ?? 0
        if (byte === LINE_FEED) {
          if (column === 0) {
            endEvent(chunk.subarray(eventStart, index + 1))
            eventStart = index + 1
          }
          endLine()
        } else if (byte !== CARRIAGE_RETURN) look(byte)
      }
      size.add(chunk.subarray(eventStart))
    },
    get eventBytes() {
      return size.bytes
    },
    get excess() {
      return excess ?? size.excess
    },
    get resumable() {
      return resumable
    },
  }
}
