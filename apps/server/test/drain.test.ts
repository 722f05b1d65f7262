import { defineAgent } from '@troupe/schema'
import { createMemoryStore } from '@troupe/store'
import { scriptedModel } from '@troupe/testkit'
import { deferred, fakeClock } from '@troupe/testkit/internal'
import { SYSTEM_CLOCK } from '@troupe/testkit/teams'
import { describe, expect, it } from 'vitest'
import { sender } from './support/sender.ts'
import { PARROT, serveTeam, type ServedTeam } from './support/serve-team.ts'

interface SlowTeam extends ServedTeam {
  readonly begun: Promise<void>
  readonly answer: () => void
}

async function slowTeam(
  limits: { readonly drainTimeout?: number; readonly maxRuns?: number; readonly maxQueue?: number } = {},
): Promise<SlowTeam> {
  const begun = deferred()
  const answer = deferred()
  const slow = scriptedModel(() => {
    begun.resolve()
    return { text: 'done', wait: answer.promise }
  })
  const agent = defineAgent({ name: 'Slow', description: 's', instruction: 's', model: 'test/slow' })
  const team = await serveTeam({ cards: [agent, PARROT], models: { slow }, limits })
  return { ...team, begun: begun.promise, answer: () => answer.resolve() }
}

const post = (url: string, body: object): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

describe('shutdown', () => {
  it('a server that shuts down listens until its runs have ended: healthy, not ready, new work gets 503 and Retry-After', async () => {
    const { url, server, begun, answer } = await slowTeam()
    const asked = fetch(`${url}/v1/Slow?q=Hi`)
    await begun
    const closed = server.close()
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    const readiness = await fetch(`${url}/readyz`)
    expect(readiness.status).toBe(503)
    expect(readiness.headers.get('connection')).toBe('close')
    const refused = [
      await fetch(`${url}/v1/Parrot?q=Hi`),
      await post(`${url}/api/runs`, { agent: 'Parrot', q: 'Hi' }),
      await post(`${url}/openai/v1/chat/completions`, { model: 'Parrot', messages: [] }),
    ]
    expect(refused.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual(
      refused.map(() => [503, '1']),
    )
    answer()
    expect(await (await asked).text()).toBe('done')
    await closed
    await expect(fetch(`${url}/healthz`)).rejects.toThrowError(TypeError)
  })

  it('a server that shuts down waits for detached runs, which stay readable', async () => {
    const { url, server, store, begun, answer } = await slowTeam()
    const started = await post(`${url}/api/runs`, { agent: 'Slow', q: 'Hi' })
    const { runId } = (await started.json()) as { readonly runId: string }
    await begun
    const closed = server.close()
    expect(await (await fetch(`${url}/api/runs/${runId}`)).json()).toMatchObject({ state: 'running' })
    const followed = await fetch(`${url}/api/runs/${runId}/events`)
    answer()
    expect(await followed.text()).toContain('"type":"run-end"')
    await closed
    expect((await store.events(runId)).at(-1)).toMatchObject({ type: 'run-end', outcome: 'completed' })
  })

  it('a server that shuts down cancels runs that exceed the drain timeout', async () => {
    const { url, server, begun } = await slowTeam({ drainTimeout: 20 })
    const asked = fetch(`${url}/v1/Slow?q=Hi`)
    const settled = Promise.allSettled([asked])
    await begun
    await server.close()
    expect(await settled).toMatchObject([{ status: 'rejected' }])
  })

  it('a detached run that exceeds the drain timeout stays interrupted, and the next server on the store resumes it', async () => {
    const begun = deferred()
    const answer = deferred()
    const slow = scriptedModel(() => {
      begun.resolve()
      return { text: 'done', wait: answer.promise }
    })
    const agent = defineAgent({ name: 'Slow', description: 's', instruction: 's', model: 'test/slow' })
    const store = createMemoryStore({ clock: SYSTEM_CLOCK })
    const team = { cards: [agent], models: { slow }, store }
    const { url, server } = await serveTeam({ ...team, limits: { drainTimeout: 20 } })
    const started = await post(`${url}/api/runs`, { q: 'Hi' })
    const { runId } = (await started.json()) as { readonly runId: string }
    await begun.promise
    await server.close()
    expect((await store.events(runId)).some(({ type }) => type === 'run-end')).toBe(false)
    answer.resolve()
    const next = await serveTeam(team)
    await expect
      .poll(async () => (await fetch(`${next.url}/api/runs/${runId}`)).json())
      .toMatchObject({ state: 'completed', output: { text: 'done' } })
  })

  it('a queued run stays in the store when the server shuts down, and the next server on the store starts it', async () => {
    const begun = deferred()
    const answer = deferred()
    const slow = scriptedModel(() => {
      begun.resolve()
      return { text: 'done', wait: answer.promise }
    })
    const agent = defineAgent({ name: 'Slow', description: 's', instruction: 's', model: 'test/slow' })
    const store = createMemoryStore({ clock: SYSTEM_CLOCK })
    const team = { cards: [agent, PARROT], models: { slow }, store }
    const { url, server } = await serveTeam({ ...team, limits: { maxRuns: 1, drainTimeout: 20 } })
    await post(`${url}/api/runs`, { agent: 'Slow', q: 'Hi' })
    await begun.promise
    const queued = await post(`${url}/api/runs`, { agent: 'Parrot', q: 'Polly', session: 'talk' })
    expect(queued.status).toBe(202)
    const { runId, state } = (await queued.json()) as { readonly runId: string; readonly state: string }
    expect(state).toBe('queued')
    await server.close()
    expect(await store.events(runId)).toEqual([])
    answer.resolve()
    const next = await serveTeam(team)
    await expect
      .poll(async () => (await fetch(`${next.url}/api/runs/${runId}`)).json())
      .toMatchObject({ state: 'completed', output: { text: 'Polly' }, sessionId: 'talk' })
    expect((await store.events(runId)).filter(({ type }) => type === 'run-start')).toHaveLength(1)
  })

  it('a server resumes a run of another process only after that process has released it', async () => {
    const begun = deferred()
    const answer = deferred()
    const slow = scriptedModel(() => {
      begun.resolve()
      return { text: 'done', wait: answer.promise }
    })
    const agent = defineAgent({ name: 'Slow', description: 's', instruction: 's', model: 'test/slow' })
    const store = createMemoryStore({ clock: SYSTEM_CLOCK })
    const team = { cards: [agent], models: { slow }, store }
    const old = await serveTeam({ ...team, limits: { drainTimeout: 20 } })
    const started = await post(`${old.url}/api/runs`, { q: 'Hi' })
    const { runId } = (await started.json()) as { readonly runId: string }
    await begun.promise
    const clock = fakeClock()
    const { url, server } = await serveTeam({ ...team, clock })
    await clock.advance(60_000)
    expect(await (await fetch(`${url}/api/runs/${runId}`)).json()).toMatchObject({ state: 'running' })
    await old.server.close()
    expect(await (await fetch(`${url}/api/runs/${runId}`)).json()).toMatchObject({ state: 'interrupted' })
    answer.resolve()
    await clock.advance(60_000)
    await expect
      .poll(async () => (await fetch(`${url}/api/runs/${runId}`)).json())
      .toMatchObject({ state: 'completed', output: { text: 'done' } })
    const closed = server.close()
    await clock.advance(60_000)
    await closed
  })

  it('a second close() stops waiting for the runs', async () => {
    const { url, server, begun } = await slowTeam({ drainTimeout: 3_600_000 })
    const settled = Promise.allSettled([fetch(`${url}/v1/Slow?q=Hi`)])
    await begun
    const first = server.close()
    await server.close()
    await first
    expect(await settled).toMatchObject([{ status: 'rejected' }])
  })

  it('a server that shuts down does not resume a run that gets a decision: the next server does', async () => {
    const store = createMemoryStore({ clock: SYSTEM_CLOCK })
    const mail = sender()
    const begun = deferred()
    const answer = deferred()
    const slow = scriptedModel(() => {
      begun.resolve()
      return { text: 'done', wait: answer.promise }
    })
    const busy = defineAgent({ name: 'Slow', description: 's', instruction: 's', model: 'test/slow' })
    const team = { cards: [...mail.cards, busy], models: { ...mail.models, slow }, store }
    const { url, server } = await serveTeam(team)
    const started = await post(`${url}/api/runs`, { agent: 'Sender', q: 'Hi' })
    const { runId } = (await started.json()) as { readonly runId: string }
    const view = async (at: string): Promise<View> =>
      (await (await fetch(`${at}/api/runs/${runId}`)).json()) as View
    await expect.poll(() => view(url)).toMatchObject({ state: 'waiting' })
    const asked = fetch(`${url}/v1/Slow?q=Hi`)
    await begun.promise
    const closed = server.close()
    const [approval] = (await view(url)).approvals
    const path = `/api/runs/${runId}/approvals/${encodeURIComponent(approval?.approvalId ?? '')}`
    expect((await post(`${url}${path}`, { decision: 'approved' })).ok).toBe(true)
    expect(await view(url)).toMatchObject({ state: 'interrupted' })
    answer.resolve()
    await (await asked).text()
    await closed
    expect(mail.sent).toEqual([])
    const next = await serveTeam(team)
    await expect.poll(() => view(next.url)).toMatchObject({ state: 'completed' })
    expect(mail.sent).toEqual(['"Ada"'])
  })
})

interface View {
  readonly state: string
  readonly approvals: readonly { readonly approvalId: string }[]
}

describe('run queue', () => {
  it('runs beyond the limit wait in order, and are rejected when the queue is full', async () => {
    const { url, begun, answer } = await slowTeam({ maxRuns: 1, maxQueue: 1 })
    const first = fetch(`${url}/v1/Slow?q=Hi`)
    await begun
    const others = [1, 2].map(() => fetch(`${url}/v1/Parrot?q=Next`))
    const refused = await Promise.race(others)
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(await refused.json()).toMatchObject({ error: { class: 'limit', code: 'server_busy' } })
    answer()
    expect(await (await first).text()).toBe('done')
    const answered = await Promise.all(others)
    expect(new Set(answered.map(({ status }) => status))).toEqual(new Set([200, 503]))
  })
})
