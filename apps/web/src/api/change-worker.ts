import { createClient } from '@troupe/client'
import { createChangeHub, type HubMessage, type PageMessage } from './change-hub.ts'

/**
 * The shared worker of all pages of a server in one browser. It holds their only event stream, because a browser
 * opens at most six connections to a server over HTTP/1.1.
 */
const hub = createChangeHub({
  // The file of the worker is in `assets/`, beside which the server is.
  changes: createClient({ url: new URL('..', self.location.href).href, maxReconnects: Infinity }).changes,
  after: (ms, task) => {
    const timer = setTimeout(task, ms)
    return () => clearTimeout(timer)
  },
  now: () => Date.now(),
})

addEventListener('connect', (event) => {
  const [port] = (event as MessageEvent).ports
  if (port === undefined) return
  const receive = hub.connect((message: HubMessage) => port.postMessage(message))
  port.addEventListener('message', ({ data }: MessageEvent<PageMessage>) => receive(data))
  port.start()
})
