import type { Clock } from '@troupe/schema'
import { createEventLog } from '../sse/event-log.ts'
import type { EventProducer } from '../sse/event-stream.ts'
import { isOpenResponse, type StoredResponse } from './stored-response.ts'
import { createResponseWriter } from './stream-response.ts'

/** Interval in ms at which a response is read until it has ended. */
const POLL_MS = 500
/**
 * Number of the first event after the text. It is greater than every number in a stream from memory, so that a
 * client that has read a part of the text there gets the end.
 */
const END_NUMBER = 1_000_000

/**
 * Streams a response whose events are not in memory, for example after a restart: its begin at once and, when it
 * has ended, its text in one piece and its end. Only events with a number greater than `after` are sent.
 */
export function replayResponse(
  first: StoredResponse,
  {
    after,
    clock,
    read,
  }: {
    readonly after: number
    readonly clock: Pick<Clock, 'after'>
    /** Reads the response again. */
    read(): Promise<StoredResponse>
  },
): EventProducer {
  const log = createEventLog()
  let isClosed = false
  let cancelTimer: (() => void) | undefined
  const push = (block: string, sequenceNumber: number): void => {
    if (sequenceNumber > after) log.push(block)
  }
  const writer = createResponseWriter(first.base, push, { endNumber: END_NUMBER })

  async function readAgain(): Promise<void> {
    try {
      advance(await read())
    } catch {
      // the client reconnects and gets the error
      log.end()
    }
  }

  function advance({ state }: StoredResponse): void {
    if (isClosed) return
    if (isOpenResponse(state)) {
      cancelTimer = clock.after(POLL_MS, () => void readAgain())
      return
    }
    if ('usage' in state) writer.append('message', state.text)
    writer.end(state)
    log.end()
  }

  writer.begin()
  advance(first)
  const events = log.follow(0)
  if (events === undefined) throw new Error('The start of the response is not in memory.')
  return {
    read: events.read,
    get isOver() {
      return events.isOver
    },
    onReady: events.onReady,
    close() {
      isClosed = true
      cancelTimer?.()
      events.close()
    },
  }
}
