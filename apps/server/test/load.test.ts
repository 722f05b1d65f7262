import { get } from 'node:http'
import { defineAgent, defineTool } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readEvents } from './support/read-events.ts'
import { leadAndClerk, PARROT, serveTeam, type TeamToServe } from './support/serve-team.ts'

/** CI takes a sample; `pnpm soak` more, and for longer. */
const CLIENTS = Number(process.env['SSE_CLIENTS'] ?? 40)
const SECONDS = Number(process.env['LOAD_SECONDS'] ?? 2)
const REQUESTS = Number(process.env['FLOOD_REQUESTS'] ?? 100)
/** One in so many clients never reads. */
const SILENT = 10
const PATIENT = 20_000 + SECONDS * 4000

/** An agent that is at work for some seconds: a turn with many pieces of text and a call, ten times a second. */
function busyAgent(seconds: number): TeamToServe {
  const rest = defineTool({
    name: 'rest',
    description: 'Rests.',
    execute: async () => {
      await new Promise((resolve) => setTimeout(resolve, 100))
      return 'x'.repeat(2000)
    },
  })
  const agent = defineAgent({
    name: 'Busy',
    description: 'b',
    instruction: 'b',
    model: 'test/busy',
    functionTools: [rest],
    limits: { maxTurns: 10_000 },
  })
  const pieces = Array.from({ length: 20 }, (_, index) => `piece ${index} ${'y'.repeat(200)} `)
  const model = scriptedModel((prompt) =>
    prompt.length > seconds * 20 ? { text: 'done' } : { text: pieces, calls: [{ tool: 'rest' }] },
  )
  return { cards: [agent, PARROT], models: { busy: model } }
}

/** What one client has seen: kept events by number, and how late each was told. */
interface Seen {
  readonly ids: number[]
  readonly lags: number[]
}

async function follow(url: string, seen: Seen, cut: boolean): Promise<void> {
  let isOver = false
  while (!isOver) {
    const leave = new AbortController()
    const last = seen.ids.at(-1)
    const headers = {
      accept: 'text/event-stream',
      ...(last === undefined ? {} : { 'last-event-id': String(last) }),
    }
    const response = await fetch(url, { headers, signal: leave.signal })
    if (response.status === 204) return
    let count = 0
    for await (const { id, data } of readEvents(response)) {
      const { time, type } = data as { readonly time?: number; readonly type?: string }
      if (id !== undefined) seen.ids.push(Number(id))
      if (time !== undefined) seen.lags.push(Date.now() - time)
      isOver ||= type === 'run-end'
      count += 1
      if (cut && count === 50) break
    }
    leave.abort()
  }
}

/** A client that asks and never reads. */
function ignore(url: string): void {
  const request = get(url, { headers: { accept: 'text/event-stream' } }, (response) => void response.pause())
  request.on('error', () => {
    // cut off, as it should be
  })
  onTestFinished(() => void request.destroy())
}

describe('many clients of one run', () => {
  it(
    `${CLIENTS} follow it, one in ${SILENT} never reads, one in ${SILENT} is cut off again and again`,
    { timeout: PATIENT },
    async () => {
      const { url, errors } = await serveTeam(busyAgent(SECONDS))
      const started = await fetch(`${url}/api/runs`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"agent":"Busy","q":"go"}',
      })
      const { runId } = (await started.json()) as { readonly runId: string }
      const address = `${url}/api/runs/${runId}/events`
      const all: Seen[] = []
      const followed: Promise<void>[] = []
      for (let client = 0; client < CLIENTS; client += 1) {
        if (client % SILENT === 0) {
          ignore(address)
          continue
        }
        const seen: Seen = { ids: [], lags: [] }
        all.push(seen)
        followed.push(follow(address, seen, client % SILENT === 1))
      }
      await Promise.all(followed)
      const view = (await (await fetch(`${url}/api/runs/${runId}`)).json()) as {
        readonly lastSeq: number
        readonly state: string
      }
      expect(view.state).toBe('completed')
      const whole = Array.from({ length: view.lastSeq }, (_, index) => index + 1)
      for (const { ids } of all) expect(ids).toEqual(whole)
      expect(errors).toEqual([])
      const lags = all.flatMap((seen) => seen.lags).toSorted((a, b) => a - b)
      const memory = Math.round(process.memoryUsage().rss / 1024 / 1024)
      console.info(
        `${CLIENTS} clients, ${view.lastSeq} kept events: lag p50 ${lags[Math.floor(lags.length / 2)]} ms, p99 ${lags[Math.floor(lags.length * 0.99)]} ms; RSS ${memory} MiB`,
      )
    },
  )
})

describe('a flood', () => {
  it(
    `of ${REQUESTS} requests a second, most of them wrong: each is answered, none with a crash`,
    { timeout: PATIENT },
    async () => {
      const { url, errors } = await serveTeam({ ...leadAndClerk(), limits: { maxRuns: 8, maxQueue: 32 } })
      const wrong = [
        () => fetch(`${url}/v1/Nobody?q=Hi`),
        () => fetch(`${url}/v1/Lead`),
        () =>
          fetch(`${url}/v1/Lead`, {
            method: 'POST',
            body: '{',
            headers: { 'content-type': 'application/json' },
          }),
        () => fetch(`${url}/openai/v1/chat/completions`, { method: 'POST', body: 'x' }),
        () => fetch(`${url}/nowhere`),
        () => fetch(`${url}/v1/Lead?q=Hi`, { headers: { origin: 'http://evil.example' } }),
      ]
      const counts = new Map<number, number>()
      const waits = new Set<string>()
      const ask = async (index: number): Promise<void> => {
        const send =
          index % 7 === 0 ? () => fetch(`${url}/v1/Lead?q=Hi`) : (wrong[index % wrong.length] ?? wrong[0])
        const response = await send?.()
        await response?.text()
        const status = response?.status ?? 0
        counts.set(status, (counts.get(status) ?? 0) + 1)
        if (status === 503) waits.add(response?.headers.get('retry-after') ?? 'never')
      }
      for (let second = 0; second < SECONDS; second += 1) {
        const begun = Date.now()
        await Promise.all(Array.from({ length: REQUESTS }, (_, index) => ask(index)))
        const left = 1000 - (Date.now() - begun)
        if (left > 0 && SECONDS > 5) await new Promise((resolve) => setTimeout(resolve, left))
      }
      const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
      expect(total).toBe(REQUESTS * SECONDS)
      expect([...counts.keys()].every((status) => [200, 400, 403, 404, 415, 503].includes(status))).toBe(true)
      expect(counts.get(200)).toBeGreaterThan(0)
      expect([...waits].every((wait) => wait === '1')).toBe(true)
      expect(errors).toEqual([])
      expect((await fetch(`${url}/healthz`)).status).toBe(200)
      console.info(`flood: ${JSON.stringify(Object.fromEntries(counts))}`)
    },
  )
})
