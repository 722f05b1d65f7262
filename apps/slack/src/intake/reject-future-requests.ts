import type { HTTPReceiver } from '@slack/bolt'
import type { Clock } from '@troupe/schema'

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
