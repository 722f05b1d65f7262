import { openEndpoint } from '../endpoints/open-endpoint.ts'
import type { Measure } from '../sample-options.ts'
import { startSseClients } from '../servers/start-sse-clients.ts'

const CONNECTIONS = 64

/** Returns the resident memory of a server after `size` requests, divided by that after the first tenth of them. */
export const measure: Measure = async ({ subject, size: requests }) => {
  const { close, ...endpoint } = await openEndpoint(subject)
  const clients = startSseClients()
  const send = async (answers: number): Promise<number> => {
    await clients.send({ ...endpoint, connections: CONNECTIONS, until: { answers } })
    return process.memoryUsage.rss()
  }
  const early = await send(requests / 10)
  const late = await send(requests - requests / 10)
  await clients.close()
  await close(requests)
  return late / early
}
