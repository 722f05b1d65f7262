import { failure, TroupeError } from '@troupe/schema'
import { deferred } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { oneAgent } from './support/one-agent.ts'
import { serveTeam, type ServedTeam } from './support/serve-team.ts'

const TOKENS = [
  { token: 'token-of-ada-0001', principal: 'ada' },
  { token: 'token-of-ben-0001', principal: 'ben' },
]

function poster({ url }: ServedTeam) {
  return (
    body: unknown,
    { key = 'key-1', name = 'ada', path = '/v1/One', accept = '*/*' } = {},
  ): Promise<Response> =>
    fetch(`${url}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: {
        'content-type': 'application/json',
        'idempotency-key': key,
        authorization: `Bearer token-of-${name}-0001`,
        accept,
      },
    })
}

/** Returns an agent that counts its model calls. */
function counter(wait?: Promise<unknown>) {
  let asked = 0
  return oneAgent(() => {
    asked += 1
    return { text: String(asked), ...(wait === undefined ? {} : { wait }) }
  })
}

describe('Idempotency-Key', () => {
  it('a repeated request gets the response of the first one', async () => {
    const post = poster(await serveTeam({ ...counter(), tokens: TOKENS }))
    const first = await post({ q: 'Hi' })
    const second = await post({ q: 'Hi' })
    expect([await first.text(), await second.text()]).toEqual(['1', '1'])
    expect(second.headers.get('troupe-run-id')).toBe(first.headers.get('troupe-run-id'))
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(await (await post({ q: 'Hi' }, { key: 'key-2' })).text()).toBe('2')
  })

  it('a repeated request waits for the first one if that is still running', async () => {
    const gate = deferred()
    const post = poster(await serveTeam({ ...counter(gate.promise), tokens: TOKENS }))
    const both = [post({ q: 'Hi' }), post({ q: 'Hi' })]
    setTimeout(() => gate.resolve(), 50)
    expect(await Promise.all(both.map(async (answer) => (await answer).text()))).toEqual(['1', '1'])
  })

  it('repeated requests start exactly one run', async () => {
    const team = await serveTeam({ ...counter(), tokens: TOKENS })
    const post = poster(team)
    const ids = await Promise.all(
      [1, 2, 3].map(
        async () =>
          ((await (await post({ q: 'Hi' }, { path: '/api/runs' })).json()) as { readonly runId: string })
            .runId,
      ),
    )
    expect(new Set(ids).size).toBe(1)
    await expect.poll(async () => (await team.store.roots()).map(({ open }) => open)).toEqual([false])
  })

  it('a different request with the same key is rejected', async () => {
    const post = poster(await serveTeam({ ...counter(), tokens: TOKENS }))
    await post({ q: 'Hi' })
    const other = await post({ q: 'Bye' })
    expect(other.status).toBe(409)
    expect(await other.json()).toMatchObject({ error: { code: 'request_repeated' } })
  })

  it('the same key of another principal is a different request', async () => {
    const post = poster(await serveTeam({ ...counter(), tokens: TOKENS }))
    expect(await (await post({ q: 'Hi' })).text()).toBe('1')
    expect(await (await post({ q: 'Hi' }, { name: 'ben' })).text()).toBe('2')
  })

  it('a repeated request runs again if the first response was not final', async () => {
    const post = poster(await serveTeam({ ...counter(), tokens: TOKENS }))
    const streamed = await post({ q: 'Hi' }, { accept: 'text/event-stream' })
    await streamed.text()
    expect(await (await post({ q: 'Hi' })).text()).toBe('2')
  })

  it('a repeated request runs again if the conversation was busy the first time', async () => {
    const gate = deferred()
    const team = await serveTeam({ ...counter(gate.promise), tokens: TOKENS })
    const post = poster(team)
    const busy = post({ q: 'Hi', session: 'talk' }, { key: 'key-0' })
    await expect.poll(async () => (await team.store.roots()).length).toBe(1)
    expect((await post({ q: 'Hi', session: 'talk' })).status).toBe(409)
    gate.resolve()
    await busy
    expect(await (await post({ q: 'Hi', session: 'talk' })).text()).toBe('2')
  })

  it('one of the waiting requests runs if the first one got no response', async () => {
    let asked = 0
    const gate = deferred()
    const failsOnce = oneAgent(() => {
      asked += 1
      const wait = gate.promise
      return asked === 1
        ? { error: new TroupeError(failure('model_refused', 'No.')), wait }
        : { text: 'Yes.', wait }
    })
    const post = poster(await serveTeam({ ...failsOnce, tokens: TOKENS }))
    const three = [1, 2, 3].map(() => post({ q: 'Hi' }))
    await expect.poll(() => asked).toBe(1)
    gate.resolve()
    const answers = await Promise.all(three)
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '200', '502'])
    expect(asked).toBe(2)
  })

  it('a request with the same key and a different query is rejected', async () => {
    const post = poster(await serveTeam({ ...counter(), tokens: TOKENS }))
    await post({ q: 'Hi' }, { path: '/v1/One?a=1' })
    expect((await post({ q: 'Hi' }, { path: '/v1/One?a=2' })).status).toBe(409)
  })

  it.each(['', 'x'.repeat(256)])('a request with an invalid key is rejected', async (key) => {
    const team = await serveTeam({ ...counter(), tokens: TOKENS })
    const refused = await poster(team)({ q: 'Hi' }, { key })
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({ error: { code: 'request_invalid' } })
    expect(await team.store.roots()).toEqual([])
  })
})
