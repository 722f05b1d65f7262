import type { ServerResponse } from 'node:http'
import { BEAT, BEAT_MS, PATIENCE_MS, type EventSource } from '@troupe/headends'
import { OpenList, type Clock } from '@troupe/schema'

/** Writes streams of events to their clients. */
export interface EventStreams {
  /** Writes headers and events. What gathers in one turn of the event loop goes out in one write; the headers wait for the first of them no longer than that. */
  open(outgoing: ServerResponse, headers: Readonly<Record<string, string>>, events: EventSource): void
}

/** One stream. */
interface OpenStream {
  readonly outgoing: ServerResponse
  /** Silent for so many looks. */
  silent: number
  /** It has not read what it was sent: for so many looks. */
  blocked: number
}

/** How often streams are looked at, in ms: one timer for all of them. */
const LOOK_MS = 1000
const LOOKS_TO_BEAT = BEAT_MS / LOOK_MS
const LOOKS_TO_CUT = PATIENCE_MS / LOOK_MS

/** No streams yet. A client is given no more than it reads; one that reads nothing for 30 s is cut off, one to which nothing is said for 15 s gets a sign of life. */
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

/** For a client of HTTP/1.0, which knows no chunks: what comes until the connection ends is the stream. */
function withoutChunks(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { 'transfer-encoding': _, ...rest } = headers
  return rest
}
