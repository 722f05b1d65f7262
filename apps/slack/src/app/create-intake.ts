import type { App, Receiver, ReceiverEvent, HTTPReceiver } from '@slack/bolt'
import type { Clock } from '@troupe/schema'
import { answerRequest } from '../answer/answer-request.ts'
import type { SlackContext } from '../context/slack-context.ts'
import { threadOf, toRequest } from '../intake/slack-request.ts'
import type { StoredSlackRequest, SlackState } from '../state/slack-state.ts'

/** The queue of incoming requests, by thread. */
export interface Intake {
  /** Answers a request after earlier ones in its thread. */
  answer(storedRequest: StoredSlackRequest): void
  /** Answers a request that an earlier process may have started to answer. */
  recover(storedRequest: StoredSlackRequest): void
  /** Resolves when all requests are processed. */
  idle(): Promise<void>
}

export function createIntake(context: SlackContext): Intake {
  const threads = createThreadQueue()
  const add = (storedRequest: StoredSlackRequest, isRecovered: boolean): void => {
    const { team, channel, id } = storedRequest.request
    // A command starts a thread of its own.
    const thread = threadOf(storedRequest.request, storedRequest.progress) ?? id
    threads.add(`${team}/${channel}/${thread}`, () => answerRequest(storedRequest, { context, isRecovered }))
  }
  return {
    answer: (storedRequest) => add(storedRequest, false),
    recover: (storedRequest) => add(storedRequest, true),
    idle: () => threads.idle(),
  }
}

/** Queues by thread: tasks of one thread run in order, those of different threads concurrently. */
interface ThreadQueue {
  add(thread: string, work: () => Promise<void>): void
  /** Resolves when all queues are empty. */
  idle(): Promise<void>
}

/**
 * Creates the queues. A conversation has one run at a time, so two messages in a thread are answered one
 * after the other. `work` must not reject.
 */
function createThreadQueue(): ThreadQueue {
  const tails = new Map<string, Promise<void>>()
  return {
    add(thread, work) {
      const tail = (tails.get(thread) ?? Promise.resolve()).then(work).finally(() => {
        if (tails.get(thread) === tail) tails.delete(thread)
      })
      tails.set(thread, tail)
    },
    async idle() {
      while (tails.size > 0) await Promise.allSettled(tails.values())
    },
  }
}

/**
 * Wraps a receiver to store each request before it is acknowledged: Bolt acknowledges at once, and Slack does
 * not send an acknowledged event again. Duplicates are acknowledged and dropped.
 */
export function journalReceiver(receiver: Receiver, state: Pick<SlackState, 'take'>): Receiver {
  return {
    init(app) {
      const journaled = {
        async processEvent(event: ReceiverEvent): Promise<void> {
          const request = toRequest(event.body)
          if (request !== undefined && !state.take(request)) return event.ack()
          await app.processEvent(event)
        },
      }
      // Receivers call no other method of the app.
      receiver.init(journaled as unknown as App)
    },
    start: (...args: unknown[]) => receiver.start(...args),
    stop: (...args: unknown[]) => receiver.stop(...args),
  }
}

const WINDOW_S = 300

/**
 * Rejects requests that are signed more than five minutes in the future. Bolt rejects only old ones, so a
 * request from the future could be replayed for that long.
 */
export function rejectFutureRequests(receiver: HTTPReceiver, clock: Clock): HTTPReceiver {
  const answer = receiver.requestListener
  receiver.requestListener = (request, response) => {
    const timestamp = Number(request.headers['x-slack-request-timestamp'])
    if (timestamp <= clock.now() / 1000 + WINDOW_S) return answer(request, response)
    response.writeHead(401)
    response.end()
  }
  return receiver
}
