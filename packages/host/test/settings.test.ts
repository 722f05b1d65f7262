import { describe, expect, it } from 'vitest'
import { card, openTeam, type RunningTeam } from './support/open-team.ts'

const FILES = {
  'a.md': card({ name: 'A', model: 'one', default: true, agents: ['B'] }),
  'b.md': card({ name: 'B', model: 'one' }),
}

function modelsOf(team: RunningTeam): readonly (readonly string[])[] {
  return team.plan().agents.map(({ models }) => models)
}

describe('settings of the entry agent', () => {
  it('do not hold against the model that replaces all others', async () => {
    const team = await openTeam(FILES, { model: 'passthrough', set: { model: 'openai/gpt-5' } })
    expect(modelsOf(team)).toEqual([['passthrough'], ['passthrough']])
  })

  it('leave names of models looked up once', async () => {
    const config = { models: { one: 'two', two: 'passthrough' } }
    const team = await openTeam(FILES, { config, set: { 'limits.maxTurns': 3 } })
    expect(modelsOf(team)).toEqual([['two'], ['two']])
  })

  it('take no rule of the configuration away, and go before its defaults', async () => {
    const config = {
      permissions: { deny: ['shell.*'] },
      defaults: { limits: { maxTurns: 7, maxRetries: 1 } },
    }
    const team = await openTeam(FILES, { config, set: { permissions: {}, 'limits.maxTurns': 3 } })
    expect(team.definition('A')).toMatchObject({
      permissions: { deny: ['shell.*'] },
      limits: { maxTurns: 3, maxRetries: 1 },
    })
    expect(team.definition('B').limits.maxTurns).toBe(7)
  })
})
