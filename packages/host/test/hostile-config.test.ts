import { HOSTILE_TEXTS } from '@troupe/testkit/internal'
import { expect, it } from 'vitest'
import { card, codes, openTeam } from './support/open-team.ts'

it.each(HOSTILE_TEXTS.config.map(({ name, text }) => [name, text] as const))(
  'a hostile configuration is a readable error: %s',
  async (_name, text) => {
    const team = await openTeam({ 'a.md': card({ name: 'A', model: 'passthrough' }), 'troupe.json': text })
    const { problems } = team.plan()
    expect(codes(problems)).toContain('config_invalid')
    expect(JSON.stringify(problems).length).toBeLessThan(200_000)
  },
)
