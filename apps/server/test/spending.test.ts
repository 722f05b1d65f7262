import { defineAgent } from '@troupe/schema'
import { createMemoryStore } from '@troupe/store'
import { scriptedModel } from '@troupe/testkit'
import { expect, it } from 'vitest'
import { serveTeam, type TeamToServe } from './support/serve-team.ts'
import { SYSTEM_CLOCK } from '@troupe/testkit/teams'

const TOKENS = [
  { token: 'token-of-ada', principal: 'ada' },
  { token: 'token-of-ben', principal: 'ben' },
]

/** An agent whose runs take 15 tokens each; a principal may use 40 in an hour. */
function cappedTeam(): TeamToServe {
  return {
    cards: [defineAgent({ name: 'One', description: 'o', instruction: 'o', model: 'test/one' })],
    models: { one: scriptedModel(() => ({ text: 'done' })) },
    tokens: TOKENS,
    limits: { spending: { per: 3_600_000, maxTokens: 40 } },
  }
}

const as = (name: string): RequestInit => ({ headers: { authorization: `Bearer token-of-${name}` } })

it('what a principal may use in a time holds for all of its runs, also those before a restart; others are not held up', async () => {
  const store = createMemoryStore({ clock: SYSTEM_CLOCK })
  const { url } = await serveTeam({ ...cappedTeam(), store })
  const ask = async (name: string): Promise<number> => (await fetch(`${url}/v1/One?q=Hi`, as(name))).status
  expect([await ask('ada'), await ask('ada'), await ask('ada'), await ask('ada')]).toEqual([
    200, 200, 200, 429,
  ])
  expect(await ask('ben')).toBe(200)

  const again = await serveTeam({ ...cappedTeam(), store })
  const refused = await fetch(`${again.url}/v1/One?q=Hi`, as('ada'))
  expect(refused.status).toBe(429)
  expect(Date.parse(refused.headers.get('retry-after') ?? '')).toBeGreaterThan(Date.now())
  expect(await refused.json()).toMatchObject({ error: { class: 'limit', code: 'spending_limited' } })
})
