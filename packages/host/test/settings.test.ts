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
  it('a model for all agents overrides the model setting', async () => {
    const team = await openTeam(FILES, { model: 'passthrough', set: { model: 'openai/gpt-5' } })
    expect(modelsOf(team)).toEqual([['passthrough'], ['passthrough']])
  })

  it('settings resolve names of models only once', async () => {
    const config = { models: { one: 'two', two: 'passthrough' } }
    const team = await openTeam(FILES, { config, set: { 'limits.maxTurns': 3 } })
    expect(modelsOf(team)).toEqual([['two'], ['two']])
  })

  it('a budget failure names the setting or the configuration that set the limit, and not the card', async () => {
    const refusal = async (options: Parameters<typeof openTeam>[1]) => {
      const { error } = await (await openTeam(FILES, { ...options, model: 'passthrough' })).run('A', 'hello')
      return [error?.code, error?.message, error?.remediation]
    }
    const set = await refusal({ set: { 'limits.maxTokens': 1 } })
    expect(set).toEqual([
      'budget_exceeded',
      expect.stringMatching(
        /^The budget does not allow another model call: 0 of 1 tokens have been used \(--set limits\.maxTokens\)\./u,
      ),
      expect.stringMatching(/^Raise --set limits\.maxTokens to at least \d+\.$/u),
    ])
    const config = { defaults: { limits: { maxTokens: 1 } } }
    const [, configured] = await refusal({ config })
    expect(configured).toContain('(defaults.limits.maxTokens in troupe.json)')
    const [, both] = await refusal({ config, set: { 'limits.maxTokens': 2 } })
    expect(both).toContain('0 of 2 tokens have been used (--set limits.maxTokens)')
  })

  it('a budget failure names the card file without its folder', async () => {
    const files = { 'a.md': card({ name: 'A', model: 'passthrough', limits: { maxTokens: 1 } }) }
    const { error } = await (await openTeam(files)).run('A', 'hello')
    expect(error?.message).toContain('(limits.maxTokens in a.md)')
  })

  it('settings remove no rule of the configuration and override its defaults', async () => {
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
