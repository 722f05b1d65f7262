import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { resultText } from '@troupe/schema'
import { expect, it } from 'vitest'
import { createTeamServer } from './servers/team-server.ts'
import { startHttp, type Answer } from './support/http-servers.ts'
import { call, leaseOf, testPool } from './support/test-pool.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'

it('a call over HTTP has its trace context in a header too, and other requests have none', async () => {
  const seen: string[] = []
  const handler = toNodeHandler(createMcpHandler(({ era }) => createTeamServer(era))) as Answer
  const { url } = await startHttp((request, response) => {
    const { traceparent } = request.headers
    if (typeof traceparent === 'string') seen.push(traceparent)
    return handler(request, response)
  })
  const lease = await leaseOf(testPool(), { url })
  const contexts = ['01', '02'].map((id) => ({ traceparent: `00-${TRACE}-${'0'.repeat(14)}${id}-01` }))
  for (const traceContext of contexts)
    expect(resultText(await call(lease, 'echo', { text: 'hi' }, { traceContext }))).toBe('hi')
  await call(lease, 'echo', { text: 'hi' })
  expect(seen).toEqual(contexts.map(({ traceparent }) => traceparent))
})
