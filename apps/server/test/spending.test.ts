import { defineAgent, type RunEvent } from '@troupe/schema'
import { createMemoryStore } from '@troupe/store'
import { scriptedModel } from '@troupe/testkit'
import { deferred } from '@troupe/testkit/internal'
import { SYSTEM_CLOCK } from '@troupe/testkit/teams'
import { describe, expect, it } from 'vitest'
import { allEvents } from './support/read-events.ts'
import { serveTeam, type TeamToServe } from './support/serve-team.ts'

const TOKENS = [
  { token: 'token-of-ada-0001', principal: 'ada' },
  { token: 'token-of-ben-0001', principal: 'ben' },
]
const agent = defineAgent({ name: 'One', description: 'o', instruction: 'o', model: 'test/one' })

/** Returns an agent whose runs use so many tokens each; a principal may use `maxTokens` in an hour. */
function cappedTeam(each: number, maxTokens: number): TeamToServe {
  return {
    cards: [agent],
    models: { one: scriptedModel(() => ({ text: 'done', usage: { input: 10, output: each - 10 } })) },
    tokens: TOKENS,
    limits: { spending: { per: 3_600_000, maxTokens } },
  }
}

const headersOf = (name: string): Record<string, string> => ({
  authorization: `Bearer token-of-${name}-0001`,
})
const as = (name: string): RequestInit => ({ headers: headersOf(name) })

const tokensOf = (events: readonly RunEvent[]): number =>
  events.reduce(
    (all, event) => (event.type === 'usage' ? all + event.tokens.input + event.tokens.output : all),
    0,
  )

describe('limits.spending', () => {
  it('limits.spending holds for 200 simultaneous requests of one principal, over REST and as detached runs', async () => {
    const gate = deferred()
    const one = scriptedModel(() => ({ text: 'done', wait: gate.promise, usage: { input: 10, output: 50 } }))
    const store = createMemoryStore({ clock: SYSTEM_CLOCK, maxRoots: 1000 })
    const { url } = await serveTeam({ ...cappedTeam(60, 300), models: { one }, store })
    const roots = async () => store.roots({ principal: 'ada' })
    const asked = Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        index % 2 === 0
          ? fetch(`${url}/v1/One?q=Hi`, as('ada'))
          : fetch(`${url}/api/runs`, {
              method: 'POST',
              headers: { ...headersOf('ada'), 'content-type': 'application/json' },
              body: '{"q":"Hi"}',
            }),
      ),
    )
    // all have started before the first model call has ended
    await expect.poll(async () => (await roots()).length).toBe(200)
    gate.resolve()
    const answers = await asked
    await Promise.all(answers.map((answer) => answer.text()))
    await expect.poll(async () => (await roots()).every(({ open }) => !open)).toBe(true)
    const runs = await Promise.all((await roots()).map(async ({ rootRunId }) => store.events(rootRunId)))
    const used = runs.reduce((all, events) => all + tokensOf(events), 0)
    expect(used).toBeGreaterThan(0)
    expect(used).toBeLessThanOrEqual(300)
    const ends = runs.flatMap((events) => {
      const end = events.at(-1)
      return end?.type === 'run-end' ? end.outcome : 'none'
    })
    expect(new Set(ends)).toEqual(new Set(['completed', 'budget']))
    const rest = answers.filter(({ url: address }) => address.includes('/v1/'))
    expect(new Set(rest.map(({ status }) => status))).toEqual(new Set([200, 429]))
    const refused = rest.filter(({ status }) => status === 429)
    for (const { headers } of refused)
      expect(Date.parse(headers.get('retry-after') ?? '')).toBeGreaterThan(Date.now())
  })

  it('limits.spending ends a run with the outcome budget when its next call does not fit, and names the limit and its end', async () => {
    const { url } = await serveTeam(cappedTeam(200, 300))
    expect((await fetch(`${url}/v1/One?q=Hi`, as('ada'))).status).toBe(200)
    const refused = await fetch(`${url}/v1/One?q=Hi`, {
      headers: { ...headersOf('ada'), accept: 'application/json' },
    })
    expect(refused.status).toBe(429)
    const report = (await refused.json()) as { readonly error: { readonly message: string } }
    expect(report).toMatchObject({ outcome: 'budget', error: { class: 'budget', code: 'budget_exceeded' } })
    expect(report.error.message).toContain(
      '200 of 300 tokens have been used (server.limits.spending.maxTokens',
    )
  })

  it('limits.spending is counted per principal and survives a restart', async () => {
    const store = createMemoryStore({ clock: SYSTEM_CLOCK })
    const { url } = await serveTeam({ ...cappedTeam(250, 300), store })
    const ask = async (name: string): Promise<number> => (await fetch(`${url}/v1/One?q=Hi`, as(name))).status
    expect([await ask('ada'), await ask('ada')]).toEqual([200, 429])
    expect(await ask('ben')).toBe(200)

    const again = await serveTeam({ ...cappedTeam(250, 300), store })
    const refused = await fetch(`${again.url}/v1/One?q=Hi`, as('ada'))
    expect(refused.status).toBe(429)
    expect(Date.parse(refused.headers.get('retry-after') ?? '')).toBeGreaterThan(Date.now())
    expect(await refused.json()).toMatchObject({ error: { class: 'limit', code: 'spending_limited' } })
  })

  it('limits.spending counts the calls of a run that had not ended when its server stopped', async () => {
    const store = createMemoryStore({ clock: SYSTEM_CLOCK })
    const second = deferred()
    const never = deferred()
    const look = { tool: 'agent__One', args: { text: 'again' } }
    const lead = defineAgent({
      name: 'Lead',
      description: 'l',
      instruction: 'l',
      model: 'test/lead',
      agents: ['One'],
    })
    const models = {
      lead: scriptedModel(() => ({ calls: [look], usage: { input: 10, output: 900 } })),
      one: scriptedModel(() => {
        second.resolve()
        return { text: 'done', wait: never.promise }
      }),
    }
    const limits = { drainTimeout: 20, spending: { per: 3_600_000, maxTokens: 3000 } }
    const { url, server } = await serveTeam({ cards: [lead, agent], models, tokens: TOKENS, limits, store })
    await fetch(`${url}/api/runs`, {
      method: 'POST',
      headers: { ...headersOf('ada'), 'content-type': 'application/json' },
      body: '{"agent":"Lead","q":"Hi"}',
    })
    await second.promise
    await server.close()
    const next = await serveTeam({
      cards: [agent],
      models: { one: scriptedModel([]) },
      tokens: TOKENS,
      limits: { spending: { per: 3_600_000, maxTokens: 950 } },
      store,
    })
    const refused = await fetch(`${next.url}/v1/One?q=Hi`, as('ada'))
    expect(refused.status).toBe(429)
    expect(await refused.json()).toMatchObject({ error: { code: 'spending_limited' } })
  })

  it('a client that streams events gets the refusal of a run by limits.spending', async () => {
    const { url } = await serveTeam(cappedTeam(250, 300))
    await (await fetch(`${url}/v1/One?q=Hi`, as('ada'))).text()
    const refused = await fetch(`${url}/v1/One?q=Hi`, {
      headers: { ...headersOf('ada'), accept: 'text/event-stream' },
    })
    expect(refused.status).toBe(429)
    expect(await allEvents(refused)).toEqual([])
  })
})
