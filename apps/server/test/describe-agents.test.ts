import { defineAgent } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { expect, it } from 'vitest'
import { serveTeam } from './support/serve-team.ts'

const OPERATOR = 'token-of-the-operator'
const ADA = 'token-of-ada-0001'

it('GET /api/agents says which variables are set, and their origin only to the operator', async () => {
  const { url } = await serveTeam({
    cards: [
      defineAgent({
        name: 'Archivist',
        description: 'Reads the archive.',
        instruction: 'Read.',
        model: 'test/any',
        env: ['ARCHIVE_KEY', 'MISSING_KEY'],
      }),
    ],
    models: { any: scriptedModel(() => ({ text: 'Read.' })) },
    tokens: [{ token: OPERATOR }, { token: ADA, principal: 'ada' }],
    hostOptions: { env: {}, envOverrides: { ARCHIVE_KEY: 'secret-of-the-archive' } },
  })
  const variables = async (token: string): Promise<unknown> => {
    const response = await fetch(`${url}/api/agents`, { headers: { authorization: `Bearer ${token}` } })
    const { agents } = (await response.json()) as { readonly agents: readonly { readonly env: unknown }[] }
    return agents[0]?.env
  }

  const set = { name: 'ARCHIVE_KEY', neededFor: expect.any(String), isSet: true }
  const missing = { name: 'MISSING_KEY', neededFor: expect.any(String), isSet: false }
  expect(await variables(OPERATOR)).toEqual([{ ...set, origin: 'override' }, missing])
  expect(await variables(ADA)).toEqual([set, missing])
})
