import type { App, Receiver, ReceiverEvent } from '@slack/bolt'
import type { SlackState } from '../state/slack-state.ts'
import { toRequest } from './to-request.ts'

/**
 * Keeps what comes before Slack is told that it has come: Bolt acknowledges at once, and what is lost after that does not come again. What is known already
 * goes no further, so four copies of an event are one request.
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
      // receivers call nothing else of the app
      receiver.init(journaled as unknown as App)
    },
    start: (...args: unknown[]) => receiver.start(...args),
    stop: (...args: unknown[]) => receiver.stop(...args),
  }
}
