import { describe, expect, it } from 'vitest'
import { card, codes, openTeam, type RunningTeam } from './support/open-team.ts'

const models = {
  sonnet: ['anthropic/claude-sonnet-4-5', 'openai/gpt-5-mini'],
  fast: 'openai/gpt-5-nano',
  'openai/gpt-5': 'passthrough',
}

function modelsOf(team: RunningTeam): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(team.plan().agents.map(({ name, models: ids }) => [name, ids]))
}

describe('names of models in the configuration', () => {
  it('names of models stand for ids in cards, and plans show those ids', async () => {
    const team = await openTeam(
      {
        'a.md': card({ name: 'A', model: 'fast?reasoning=low', default: true }),
        'b.md': card({ name: 'B', model: ['sonnet?reasoning=high', 'openai/gpt-5'] }),
        'c.md': card({ name: 'C', model: 'openai/gpt-5-mini', context: { model: 'fast' } }),
      },
      { config: { models } },
    )
    expect(modelsOf(team)).toEqual({
      A: ['openai/gpt-5-nano?reasoning=low'],
      B: ['anthropic/claude-sonnet-4-5?reasoning=high', 'openai/gpt-5-mini?reasoning=high', 'passthrough'],
      C: ['openai/gpt-5-mini'],
    })
    expect(team.plan().agents[2]?.unpriced).toEqual([])
    expect(team.agents().find(({ name }) => name === 'C')?.context.model).toBe('openai/gpt-5-nano')
  })

  it.each([
    ['.claude/agents/a.md', '---\nname: A\ndescription: d\nmodel: sonnet\n---\nHelp.\n', models.sonnet],
    [
      '.claude/agents/a.md',
      '---\nname: A\ndescription: d\nmodel: haiku\n---\nHelp.\n',
      ['anthropic/claude-haiku-4-5'],
    ],
    [
      '.fast-agent/agent-cards/a.md',
      '---\nname: A\ndescription: d\nmodel: sonnet.low\n---\nHelp.\n',
      models.sonnet.map((id) => `${id}?reasoning=low`),
    ],
  ])('names of models override the short names of other products: %s', async (file, text, ids) => {
    const team = await openTeam({ [file]: text }, { cards: [file], config: { models } })
    expect(modelsOf(team)).toEqual({ A: ids })
  })

  it('names of models work as the default, for one run and as a setting', async () => {
    const files = { 'a.md': card({ name: 'A' }) }
    const config = { models, defaults: { model: 'fast' } }
    expect(modelsOf(await openTeam(files, { config }))).toEqual({ A: ['openai/gpt-5-nano'] })
    expect(modelsOf(await openTeam(files, { config, model: 'sonnet' }))).toEqual({ A: models.sonnet })
    expect(modelsOf(await openTeam(files, { config, set: { model: 'openai/gpt-5' } }))).toEqual({
      A: ['passthrough'],
    })
  })

  it('names of models are looked up once and only as own keys', async () => {
    const config = { models: { one: 'two', two: 'passthrough' } }
    const files = { 'a.md': card({ name: 'A', model: ['one', 'constructor'] }) }
    const team = await openTeam(files, { config })
    expect(modelsOf(team)).toEqual({ A: ['two', 'constructor'] })
    expect(codes(team.plan().problems)).toContain('model_unknown')
  })
})
