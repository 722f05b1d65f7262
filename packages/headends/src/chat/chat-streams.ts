import { failure, type Clock } from '@troupe/schema'
import { createEventLog } from '../sse/event-log.ts'
import type { EventProducer } from '../sse/event-stream.ts'

/** The answers that runs of chats are writing, by chat. */
export interface ChatStreams {
  /** Starts the answer of a chat. It replaces an earlier one. */
  open(key: string): ChatStream
  /** Returns the answer that a run of the chat is writing, or that no client has read to its end. */
  find(key: string): ChatStream | undefined
  close(): void
}

/** The answer of a run, which clients can read again from its start while the run writes it. */
export interface ChatStream {
  /** Aborts when no client has been connected for some time. */
  readonly signal: AbortSignal
  push(block: string): void
  end(): void
  /**
   * Returns the answer from its start for a client that is connected until its signal aborts. `undefined` if the
   * start is too long ago.
   */
  read(client: Pick<Request, 'signal'>): EventProducer | undefined
}

/** Time in ms in which a client can connect again before the run is cancelled. */
const RECONNECT_MS = 10_000
/** Time in ms for which an answer that no client has read to its end can be read. */
const UNREAD_MS = 60_000

/** Creates an empty collection. */
export function createChatStreams(clock: Pick<Clock, 'after'>): ChatStreams {
  const streams = new Map<string, ChatStream & { cancelTimer(): void }>()

  function open(key: string): ChatStream {
    const log = createEventLog()
    const stop = new AbortController()
    let clients = 0
    let isOver = false
    let cancelTimer: (() => void) | undefined
    const remove = (): void => {
      if (streams.get(key) === stream) streams.delete(key)
    }
    const stream = {
      signal: stop.signal,
      cancelTimer: () => cancelTimer?.(),
      push: log.push,
      end() {
        isOver = true
        cancelTimer?.()
        log.end()
        cancelTimer = clock.after(UNREAD_MS, remove)
      },
      read({ signal }: Pick<Request, 'signal'>) {
        const events = log.follow(0)
        if (events === undefined) return undefined
        clients += 1
        if (!isOver) cancelTimer?.()
        const onDisconnect = (): void => {
          clients -= 1
          if (clients > 0 || isOver) return
          cancelTimer = clock.after(RECONNECT_MS, () =>
            stop.abort(failure('run_cancelled', 'The client disconnected.')),
          )
        }
        signal.addEventListener('abort', onDisconnect, { once: true })
        if (signal.aborted) onDisconnect()
        return {
          read: events.read,
          get isOver() {
            return events.isOver
          },
          onReady: events.onReady,
          close() {
            if (isOver && events.isOver) {
              cancelTimer?.()
              remove()
            }
            events.close()
          },
        }
      },
    }
    streams.set(key, stream)
    return stream
  }

  return {
    open,
    find: (key) => streams.get(key),
    close() {
      for (const { cancelTimer } of streams.values()) cancelTimer()
      streams.clear()
    },
  }
}
