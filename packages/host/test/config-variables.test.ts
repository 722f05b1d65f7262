import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { card, codes, openTeam, type RunningTeam } from './support/open-team.ts'

const CONFIG = (content: object): { readonly 'troupe.json': string } => ({
  'troupe.json': JSON.stringify(content),
})

function modelsOf(team: RunningTeam): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(team.plan().agents.map(({ name, models }) => [name, models]))
}

describe('variables in the configuration', () => {
  it(`variables are replaced in the default model, and the plan lists their origins ${verifies('C40', 'C41')}`, async () => {
    const files = {
      ...CONFIG({ defaults: { model: ['${FIRST}', '${SECOND:-passthrough}'] } }),
      'a.md': card({ name: 'A' }),
    }
    const team = await openTeam(files, { env: { FIRST: 'openai/gpt-5-mini', OPENAI_API_KEY: 'sk-1' } })
    expect(modelsOf(team)).toEqual({ A: ['openai/gpt-5-mini', 'passthrough'] })
    expect(team.plan().variables).toContainEqual({
      name: 'FIRST',
      agents: ['A'],
      neededFor: '`defaults.model`',
      origin: 'process',
    })
  })

  it(`variables in model ids come from the environment of each agent ${verifies('C45')}`, async () => {
    const team = await openTeam({
      ...CONFIG({ defaults: { model: '${MODEL}' }, models: { fast: '${FAST:-passthrough}' } }),
      'a.md': card({ name: 'A', default: true, agents: ['east/b.md', 'west/c.md', 'west/d.md'] }),
      'troupe.env': 'MODEL=passthrough',
      'east/b.md': card({ name: 'B' }),
      'east/troupe.env': 'MODEL=ollama/east',
      'west/c.md': card({ name: 'C' }),
      'west/d.md': card({ name: 'D', model: 'fast?reasoning=low' }),
      'west/troupe.env': 'FAST=ollama/west',
    })
    expect(modelsOf(team)).toEqual({
      A: ['passthrough'],
      B: ['ollama/east'],
      C: ['passthrough'],
      D: ['ollama/west?reasoning=low'],
    })
  })

  it('missing variables are only reported for the agents that need them', async () => {
    const team = await openTeam({
      ...CONFIG({ defaults: { model: '${MODEL}' } }),
      'a.md': card({ name: 'A', default: true }),
      'b.md': card({ name: 'B', model: 'passthrough' }),
    })
    expect(team.plan().problems).toMatchObject([{ severity: 'warning', code: 'env_missing', agent: 'A' }])
    expect(team.plan().variables).toEqual([{ name: 'MODEL', agents: ['A'], neededFor: '`defaults.model`' }])
    expect(await team.run('A', 'hi')).toMatchObject({ outcome: 'failed', error: { code: 'env_missing' } })
    expect(await team.run('B', 'hi')).toMatchObject({ outcome: 'completed', output: { text: 'hi' } })
    const replaced = await openTeam(
      { ...CONFIG({ defaults: { model: '${MODEL}' } }), 'a.md': card({ name: 'A' }) },
      { model: 'passthrough' },
    )
    expect(codes(replaced.plan().problems)).toEqual([])
  })

  it('an empty variable in a default leaves the default unset, and variables are not replaced in model ids of cards', async () => {
    const empty = await openTeam({
      ...CONFIG({ defaults: { model: '${MODEL:-}' } }),
      'a.md': card({ name: 'A' }),
    })
    expect(codes(empty.plan().problems)).toEqual(['model_unset'])
    const written = await openTeam(
      { 'a.md': card({ name: 'A', model: '${MODEL}' }) },
      { env: { MODEL: 'passthrough' } },
    )
    expect(codes(written.plan().problems)).toEqual(['model_unknown'])
  })

  it("variables are replaced in card paths, rules and limits, from the environment of the configuration's folder", async () => {
    const team = await openTeam({
      ...CONFIG({
        agents: ['${SHARED}/*.md'],
        permissions: { deny: ['${FORBIDDEN:-none}'] },
        defaults: { model: 'passthrough', limits: { timeout: '${PATIENCE:-5s}' } },
      }),
      'troupe.env': 'SHARED=common\nFORBIDDEN=shell.*',
      'a.md': card({ name: 'A', default: true, agents: ['B'] }),
      'common/b.md': card({ name: 'B' }),
    })
    expect(codes(team.plan().problems)).toEqual([])
    expect(team.plan().agents.find(({ name }) => name === 'A')?.children).toEqual(['B'])
    expect(team.definition('A')).toMatchObject({
      permissions: { deny: ['shell.*'] },
      limits: { timeout: 5000 },
    })
  })

  it('a missing variable in a rule stops the whole team', async () => {
    const team = await openTeam({
      ...CONFIG({ permissions: { deny: ['${FORBIDDEN}'] } }),
      'a.md': card({ name: 'A', model: 'passthrough' }),
    })
    expect(team.plan().problems).toMatchObject([{ severity: 'error', code: 'env_missing' }])
    expect(await team.run('A', 'hi')).toMatchObject({ outcome: 'failed', error: { code: 'env_missing' } })
  })

  it(`variables in settings of sessions are not replaced when the configuration is loaded ${verifies('C40')}`, async () => {
    const team = await openTeam({
      ...CONFIG({
        defaults: { model: 'passthrough' },
        mcpServers: { unused: { command: '${NOT_SET}' } },
        providers: { openai: { apiKey: '${NOT_SET}' } },
      }),
      'a.md': card({ name: 'A' }),
    })
    expect(codes(team.plan().problems)).toEqual([])
  })
})
