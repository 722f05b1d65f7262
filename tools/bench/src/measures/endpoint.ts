import assert from 'node:assert/strict'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { tokensOf } from '../models.ts'
import type { Effort } from '../probe.ts'
import { startSseClients } from '../servers/start-sse-clients.ts'

/** Requests for each ms of a budget: so many are measured, after four times as many. A server goes on for days, so its code is measured when it is compiled. */
const REQUESTS_PER_MS = 5
const WARM = 4

/** CPU µs of the server per request: one call of a tool, then so many tokens, over so many connections at once. */
export async function measureEndpoint(
  { port, path, headers, body, close }: Endpoint,
  { connections, tokens, budgetMs }: Effort & { readonly connections: number; readonly tokens: number },
): Promise<number> {
  const clients = startSseClients()
  const send = (answers: number): ReturnType<typeof clients.send> =>
    clients.send({ port, path, headers, body, connections, answers })
  const wanted = Math.max(budgetMs * REQUESTS_PER_MS, connections)
  const warm = await send(wanted * WARM)
  for (const token of tokensOf(tokens)) assert.ok(warm.first.includes(JSON.stringify(token)), warm.first)
  // nothing is collected by force: that would have both sides compile again, in what is measured, much of what they had compiled
  const before = process.cpuUsage()
  const { answers, bytes, first } = await send(wanted)
  const { user, system } = process.cpuUsage(before)
  // ids and times differ in length by some bytes
  assert.ok(Math.abs(bytes / answers - first.length) < first.length / 50, 'whole answers')
  await clients.close()
  await close(warm.answers + answers)
  return (user + system) / answers
}
