import type { ServerResponse } from 'node:http'
import { BEAT, BEAT_MS, PATIENCE_MS, type EventSource } from '@troupe/headends'
import { OpenList, type Clock } from '@troupe/schema'

/** A writer of event streams. */
export interface EventStreams {
  /**
   * Writes headers and events. Events of one turn of the event loop are sent in one write. The headers wait
   * no longer than one turn for the first event.
   */
  open(outgoing: ServerResponse, headers: Readonly<Record<string, string>>, events: EventSource): void
}

interface OpenStream {
  readonly outgoing: ServerResponse
  /** Number of checks since the last data. */
  silent: number
  /** Number of checks since the client stopped reading. */
  blocked: number
}

/** Interval at which all streams are checked, in ms. */
const LOOK_MS = 1000
const LOOKS_TO_BEAT = BEAT_MS / LOOK_MS
const LOOKS_TO_CUT = PATIENCE_MS / LOOK_MS

/**
 * Creates a writer without streams. It sends a client no more than it reads, disconnects a client that reads
 * nothing for 30 s, and sends a heartbeat after 15 s without data.
 */
export function createEventStreams(clock: Pick<Clock, 'after'>): EventStreams {
  const open = new OpenList<OpenStream>()
  let isLooking = false

  function look(): void {
    isLooking = false
    for (const stream of open.values()) {
      const { outgoing } = stream
      stream.silent += 1
      stream.blocked = outgoing.writableNeedDrain ? stream.blocked + 1 : 0
      if (stream.blocked >= LOOKS_TO_CUT) outgoing.destroy()
      else if (stream.silent >= LOOKS_TO_BEAT && stream.blocked === 0) {
        stream.silent = 0
        outgoing.write(BEAT)
      }
    }
    lookLater()
  }

  function lookLater(): void {
    if (isLooking || open.size === 0) return
    isLooking = true
    clock.after(LOOK_MS, look)
  }

  return {
    open(outgoing, headers, events) {
      const stream: OpenStream = { outgoing, silent: 0, blocked: 0 }
      let isBegun = false
      const begin = (): void => {
        if (!isBegun && !outgoing.destroyed) outgoing.flushHeaders()
      }
      const pour = (): void => {
        while (!outgoing.writableEnded && !outgoing.writableNeedDrain) {
          const piece = events.read()
          if (piece === undefined) {
            if (!events.isOver) return
            isBegun = true
            outgoing.end()
            return
          }
          stream.silent = 0
          isBegun = true
          outgoing.write(piece)
        }
      }
      outgoing.writeHead(200, outgoing.useChunkedEncodingByDefault ? headers : withoutChunks(headers))
      outgoing.on('drain', pour)
      if (outgoing.destroyed) return events.close()
      const entry = open.add(stream)
      outgoing.once('close', () => {
        open.delete(entry)
        events.close()
      })
      lookLater()
      events.onReady(pour)
      setImmediate(begin)
    },
  }
}

/** Removes chunked encoding, which HTTP/1.0 clients do not support. Their stream ends with the connection. */
function withoutChunks(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { 'transfer-encoding': _, ...rest } = headers
  return rest
}
