import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createHost } from '@troupe/host'
import type { RunEvent } from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
import { expect, it } from 'vitest'
import { connectClient, serveExports } from './serve-exports.ts'
import { project } from './team.ts'
import { travelAgent } from './travel.ts'

const CALLS = 100
const CITIES = Array.from({ length: CALLS }, (_, index) => `City ${index}`)

async function startAgent(onEvent: (event: RunEvent) => void): Promise<string> {
  const folder = await project({
    ...travelAgent({ script: "- {say: 'Booked: {{input}}', delay: 30ms}" }),
    'noise.mjs': "export const shout = () => 'done'\n",
  })
  const host = await createHost({ cards: ['travel.md'], cwd: folder.path, env: {}, config: false })
  return serveExports(host, 'Travel', onEvent)
}

it.each(['legacy', 'modern'] as const)(
  `a hundred parallel calls of a %s client get a hundred sessions and their own answers ${verifies('D21', 'D29')}`,
  async (era) => {
    const starts: Extract<RunEvent, { readonly type: 'run-start' }>[] = []
    const url = await startAgent((event) => {
      if (event.type === 'run-start') starts.push(event)
    })
    const client = await connectClient(url, { era })
    const results = await Promise.all(
      CITIES.map((destination) =>
        client.callTool({
          name: 'Travel_book_flight',
          arguments: { destination, departure_date: '2026-12-01' },
        }),
      ),
    )
    expect(results.map(({ content }) => content)).toEqual(
      CITIES.map((city) => [{ type: 'text', text: expect.stringContaining(`to ${city} on 2026`) }]),
    )
    const contexts = new Set(results.map(({ _meta: meta }) => meta?.['contextId']))
    expect(contexts.size).toBe(CALLS)
    expect(new Set(starts.map(({ sessionId }) => sessionId))).toEqual(contexts)
    expect(new Set(starts.map(({ runId }) => runId)).size).toBe(CALLS)
  },
)

it.each(['legacy', 'modern'] as const)(
  `a %s client continues each of its sessions by id, and no session by another id ${verifies('D52', 'D55')}`,
  async (era) => {
    const inputs = new Map<string, string[]>()
    const url = await startAgent((event) => {
      if (event.type === 'run-start')
        inputs.set(event.sessionId, [...(inputs.get(event.sessionId) ?? []), event.input])
    })
    const client = await connectClient(url, { era })
    const call = (destination: string, contextId?: unknown) =>
      client.callTool({
        name: 'Travel_book_flight',
        arguments: { destination, departure_date: '2026-12-01' },
        ...(contextId === undefined ? {} : { _meta: { contextId } }),
      })
    const cities = CITIES.slice(0, 20)
    const first = await Promise.all(cities.map((city) => call(city)))
    const ids = first.map(({ _meta: meta }) => meta?.['contextId'])
    await Promise.all(cities.map((city, index) => call(`${city} again`, ids[index])))
    expect([...inputs.keys()].toSorted()).toEqual(ids.map(String).toSorted())
    for (const [index, id] of ids.entries())
      expect(inputs.get(String(id))).toEqual([
        expect.stringContaining(`to City ${index} on`),
        expect.stringContaining(`to City ${index} again on`),
      ])
    const lost = await call('Nowhere', 'an id of no session')
    expect(lost).toMatchObject({ isError: true, structuredContent: { code: 'session_unknown' } })
    const twice = await Promise.all([call('A', ids[0]), call('B', ids[0])])
    expect(twice.filter(({ isError }) => isError === true)).toMatchObject([
      { structuredContent: { code: 'session_busy' } },
    ])
  },
)

it(`a thousand calls keep no more memory than the remembered conversations ${verifies('D55')}`, async () => {
  const url = await startAgent(() => undefined)
  const client = await connectClient(url, { era: 'modern' })
  const round = (): Promise<unknown> =>
    Promise.all(
      CITIES.map((destination) =>
        client.callTool({
          name: 'Travel_book_flight',
          arguments: { destination, departure_date: '2026-12-01' },
        }),
      ),
    )
  await round()
  const before = heapAfterCollection()
  for (let count = 0; count < 10; count += 1) await round()
  expect(heapAfterCollection() - before).toBeLessThan(16 * 1024 * 1024)
}, 60_000)

function heapAfterCollection(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  return process.memoryUsage().heapUsed
}
