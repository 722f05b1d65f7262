import type { App, Receiver, ReceiverEvent } from '@slack/bolt'
import type { SlackState } from '../state/slack-state.ts'
import { toRequest } from './to-request.ts'

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
