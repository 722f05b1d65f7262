import type { ServerResponse } from 'node:http'
import { HEARTBEAT, HEARTBEAT_MS, MAX_UNREAD_MS, type EventProducer } from '@troupe/headends'
import { OpenList, type Clock } from '@troupe/schema'

/** A writer of event streams. */
export interface EventStreams {
  /**
   * Writes headers and events. Events of one turn of the event loop are sent in one write. The headers wait
   * no longer than one turn for the first event.
   */
  open(outgoing: ServerResponse, headers: Readonly<Record<string, string>>, events: EventProducer): void
}

interface OpenStream {
  readonly outgoing: ServerResponse
  /** Number of checks since the last data. */
  silent: number
  /** Number of checks since the client stopped reading. */
  blocked: number
}

/** Interval at which all streams are checked, in ms. */
const CHECK_MS = 1000
const CHECKS_TO_HEARTBEAT = HEARTBEAT_MS / CHECK_MS
const CHECKS_TO_DISCONNECT = MAX_UNREAD_MS / CHECK_MS

/**
 * Creates a writer without streams. It sends a client no more than it reads, disconnects a client that reads
 * nothing for 30 s, and sends a heartbeat after 15 s without data.
 */
export function createEventStreams(clock: Pick<Clock, 'after'>): EventStreams {
  const open = new OpenList<OpenStream>()
  let isScheduled = false

  function check(): void {
    isScheduled = false
    for (const stream of open.values()) {
      const { outgoing } = stream
      stream.silent += 1
      stream.blocked = outgoing.writableNeedDrain ? stream.blocked + 1 : 0
      if (stream.blocked >= CHECKS_TO_DISCONNECT) outgoing.destroy()
      else if (stream.silent >= CHECKS_TO_HEARTBEAT && stream.blocked === 0) {
        stream.silent = 0
        outgoing.write(HEARTBEAT)
      }
    }
    scheduleCheck()
  }

  function scheduleCheck(): void {
    if (isScheduled || open.size === 0) return
    isScheduled = true
    clock.after(CHECK_MS, check)
  }

  return {
    open(outgoing, headers, events) {
      const stream: OpenStream = { outgoing, silent: 0, blocked: 0 }
      let isStarted = false
      const sendHeaders = (): void => {
        if (!isStarted && !outgoing.destroyed) outgoing.flushHeaders()
      }
      const flush = (): void => {
        while (!outgoing.writableEnded && !outgoing.writableNeedDrain) {
          const piece = events.read()
          if (piece === undefined) {
            if (!events.isOver) return
            isStarted = true
            outgoing.end()
            return
          }
          stream.silent = 0
          isStarted = true
          outgoing.write(piece)
        }
      }
      outgoing.writeHead(200, outgoing.useChunkedEncodingByDefault ? headers : withoutChunks(headers))
      outgoing.on('drain', flush)
      if (outgoing.destroyed) return events.close()
      const entry = open.add(stream)
      outgoing.once('close', () => {
        open.delete(entry)
        events.close()
      })
      scheduleCheck()
      events.onReady(flush)
      setImmediate(sendHeaders)
    },
  }
}

/** Removes chunked encoding, which HTTP/1.0 clients do not support. Their stream ends with the connection. */
function withoutChunks(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { 'transfer-encoding': _, ...rest } = headers
  return rest
}
