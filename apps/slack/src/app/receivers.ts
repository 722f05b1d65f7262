import type { App, Receiver, ReceiverEvent, HTTPReceiver } from '@slack/bolt'
import type { Clock } from '@troupe/schema'
import type { SlackState } from '../state/slack-state.ts'
import { toRequest } from '../intake/to-request.ts'

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
