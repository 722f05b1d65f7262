import assert from 'node:assert/strict'
import { openEndpoint, TOKENS } from '../endpoints/open-endpoint.ts'
import type { Measure } from '../sample-options.ts'
import { tokensOf } from '../script.ts'
import { startSseClients } from '../servers/start-sse-clients.ts'

/** Ratio of the warm-up to the measured time, because a server runs for days. */
const WARM_UP = 10

/** Returns the CPU µs of the server per request: one tool call, then 20 streamed tokens, over `size` connections at once. */
export const measure: Measure = async ({ subject, size: connections, budgetMs }) => {
  const { close, ...endpoint } = await openEndpoint(subject)
  const clients = startSseClients()
  const warm = await clients.send({ ...endpoint, connections, until: { ms: budgetMs * WARM_UP } })
  for (const token of tokensOf(TOKENS)) assert.ok(warm.first.includes(JSON.stringify(token)), warm.first)
  // no forced garbage collection, because both sides would then compile much of their code again
  const before = process.cpuUsage()
  const { answers, bytes, first } = await clients.send({ ...endpoint, connections, until: { ms: budgetMs } })
  const { user, system } = process.cpuUsage(before)
  // ids and times differ in length by a few bytes
  assert.ok(Math.abs(bytes / answers - first.length) < first.length / 50, 'answers are complete')
  await clients.close()
  await close(warm.answers + answers)
  return (user + system) / answers
}
