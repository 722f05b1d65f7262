import type { HTTPReceiver } from '@slack/bolt'
import type { Clock } from '@troupe/schema'

const WINDOW_S = 300

/** Refuses requests that are signed for later than five minutes from now. Bolt refuses those from before only, and one from the future could be sent again for as long. */
export function refuseFuture(receiver: HTTPReceiver, clock: Clock): HTTPReceiver {
  const answer = receiver.requestListener
  receiver.requestListener = (request, response) => {
    const timestamp = Number(request.headers['x-slack-request-timestamp'])
    if (timestamp <= clock.now() / 1000 + WINDOW_S) return answer(request, response)
    response.writeHead(401)
    response.end()
  }
  return receiver
}
