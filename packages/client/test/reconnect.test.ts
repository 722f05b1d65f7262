import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { ApiError, createClient, type RunEvent } from '../src/index.ts'

/** Serves requests on a free port of this machine until the test ends. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const BASE = { time: 0, runId: 'run_1', rootRunId: 'run_1', agent: 'a', instance: 'a', depth: 0 } as const

function block(event: object): string {
  const { seq } = event as { readonly seq?: number }
  return `${seq === undefined ? '' : `id: ${seq}\n`}data: ${JSON.stringify({ ...BASE, ...event })}\n\n`
}

const START = block({ type: 'turn-start', turn: 1, seq: 1 })
const END = block({ type: 'run-end', outcome: 'completed', seq: 2 })
const SSE = { 'content-type': 'text/event-stream' }

async function collect(events: AsyncIterable<RunEvent>): Promise<readonly (number | undefined)[]> {
  const seqs: (number | undefined)[] = []
  for await (const { seq } of events) seqs.push(seq)
  return seqs
}

it('resume sends the last id, and skips events that the server repeats', async () => {
  const ids: (string | undefined)[] = []
  const url = await serve(({ headers }, response) => {
    ids.push(headers['last-event-id'] as string | undefined)
    response.writeHead(200, SSE)
    if (ids.length === 1) response.write(START, () => response.destroy())
    else response.end(`${START}${END}`)
  })
  expect(await collect(createClient({ url }).resume('run_1'))).toEqual([1, 2])
  expect(ids).toEqual([undefined, '1'])
})

it('resume ignores events of other types, and ends at 204', async () => {
  let requests = 0
  const url = await serve((_, response) => {
    requests += 1
    if (requests === 1) response.writeHead(200, SSE).end(`event: lagged\ndata: {"from":1}\n\n${START}`)
    else response.writeHead(204).end()
  })
  expect(await collect(createClient({ url }).resume('run_1'))).toEqual([1])
})

it('resume tries again while the server is overloaded or restarts', async () => {
  let requests = 0
  const url = await serve((_, response) => {
    requests += 1
    if (requests < 3) response.writeHead(503, { 'retry-after': '0' }).end('<html>')
    else response.writeHead(200, SSE).end(`${START}${END}`)
  })
  expect(await collect(createClient({ url }).resume('run_1'))).toEqual([1, 2])
})

it('resume fails after the maximum number of attempts in a row without data', async () => {
  let requests = 0
  const url = await serve((_, response) => {
    requests += 1
    response.destroy()
  })
  const states: string[] = []
  const events = createClient({ url, maxReconnects: 1 }).resume('run_1', {
    onConnection: (state) => states.push(state),
  })
  await expect(collect(events)).rejects.toMatchObject({ code: 'server_unreachable', class: 'network' })
  expect([requests, states]).toEqual([2, ['lost']])
})

it('resume does not repeat a request that the server refuses, nor accept events that are none', async () => {
  let requests = 0
  const error = { class: 'store', code: 'run_unknown', message: 'No.', remediation: 'Look.' }
  const url = await serve(({ url: path = '' }, response) => {
    requests += 1
    if (path.includes('run_1')) response.writeHead(404).end(JSON.stringify({ error }))
    else response.writeHead(200, SSE).end('data: nothing\n\n')
  })
  const client = createClient({ url })
  await expect(collect(client.resume('run_1'))).rejects.toMatchObject({ ...error, status: 404 })
  await expect(collect(client.resume('run_2'))).rejects.toMatchObject({ code: 'response_invalid' })
  expect(requests).toBe(2)
})

it('resume ends with the reason of its signal, also while it waits for the next attempt', async () => {
  const url = await serve((_, response) => response.destroy())
  const abort = new AbortController()
  const events = createClient({ url }).resume('run_1', {
    signal: abort.signal,
    onConnection: () => setImmediate(() => abort.abort(new Error('enough'))),
  })
  await expect(collect(events)).rejects.toThrow('enough')
})

it('requests fail with an error of the client if the response is not one of Troupe', async () => {
  const url = await serve(({ url: path = '' }, response) => {
    if (path.includes('agents')) response.writeHead(200).end('<html>')
    else response.writeHead(502, { 'retry-after': '7' }).end('<html>')
  })
  const client = createClient({ url })
  await expect(client.agents.list()).rejects.toBeInstanceOf(ApiError)
  await expect(client.agents.list()).rejects.toMatchObject({ code: 'response_invalid', status: 200 })
  await expect(client.models.list()).rejects.toMatchObject({
    code: 'response_invalid',
    status: 502,
    retryAfterMs: 7000,
  })
  const closed = createClient({ url: 'http://127.0.0.1:1' })
  await expect(closed.models.list()).rejects.toMatchObject({ code: 'server_unreachable', status: undefined })
})
