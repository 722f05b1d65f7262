import { createHash } from 'node:crypto'
import { TRANSIENT_EVENTS, type RunEvent } from '@troupe/schema'

/** Payloads of NOTIFY are shorter than 8,000 bytes. */
const PIECE_BYTES = 7900
/** Maximum number of pieces of a message that is read. */
const MAX_PIECES = 1000

/** Returns the channel on which servers name the root runs whose transient events they want. */
export function demandChannel(schema: string): string {
  return `${schema}_demand`
}

/** Returns the channel for the transient events of a run tree. A hash, because channels have at most 63 bytes. */
export function transientChannel(schema: string, rootRunId: string): string {
  return `${schema}_text_${createHash('sha256').update(rootRunId).digest('hex').slice(0, 16)}`
}

/**
 * Converts events to the payloads of a message, to be sent in order in one transaction. Their numbers keep
 * PostgreSQL from merging equal payloads.
 */
export function toPayloads(events: readonly RunEvent[]): readonly string[] {
  const bytes = Buffer.from(JSON.stringify(events))
  const pieces: string[] = []
  for (let start = 0; start < bytes.length;) {
    let end = Math.min(start + PIECE_BYTES, bytes.length)
    // a piece is text of its own, so it ends with a whole character
    while (isContinuation(bytes[end])) end -= 1
    pieces.push(bytes.toString('utf8', start, end))
    start = end
  }
  return pieces.map((piece, index) => `${index}/${pieces.length} ${piece}`)
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}

/**
 * Creates a function that takes the payloads of a channel and returns the events of each completed message.
 * Ignores messages with missing pieces, and what is not a transient event of the run tree.
 */
export function createPayloadReader(rootRunId: string): (payload: string) => readonly RunEvent[] {
  let pieces: string[] = []
  return (payload) => {
    const [, index, count, piece = ''] = /^(\d{1,4})\/(\d{1,4}) (.*)$/su.exec(payload) ?? []
    if (Number(index) === 0) pieces = []
    if (Number(index) !== pieces.length || Number(count) > MAX_PIECES) return []
    pieces.push(piece)
    if (pieces.length < Number(count)) return []
    const text = pieces.join('')
    pieces = []
    return parseEvents(text).filter((event) => isTransient(event, rootRunId))
  }
}

function parseEvents(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

function isTransient(value: unknown, rootRunId: string): value is RunEvent {
  const event = (value ?? {}) as Partial<RunEvent>
  return (
    event.rootRunId === rootRunId &&
    typeof event.runId === 'string' &&
    event.type !== undefined &&
    TRANSIENT_EVENTS.has(event.type) &&
    event.seq === undefined &&
    Number.isSafeInteger(event.after)
  )
}
