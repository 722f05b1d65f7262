import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { card, openTeam } from './support/open-team.ts'

describe('schemas in cards', () => {
  it.each([
    ['output', { type: 'nothing' }, /type must be/u],
    ['output', { type: 'object', properties: { a: { type: 'strng' } } }, /type must be/u],
    ['input', { type: 'object', required: 'city' }, /required/u],
    ['input', { $ref: '#/$defs/none' }, /can't resolve/u],
    ['input', { type: 'string' }, /the input of an agent is an object/u],
  ])(
    `schemas in cards are checked before a run, and problems have a position: %s %j ${verifies('C19', 'C80')}`,
    async (key, schema, why) => {
      const team = await openTeam({ 'a.md': card({ name: 'A', model: 'passthrough', [key]: { schema } }) })
      const [problem, ...others] = team.plan().problems
      expect(others).toEqual([])
      expect(problem).toMatchObject({ severity: 'error', code: 'invalid_schema', line: 5, agent: 'A' })
      expect(problem?.message).toMatch(why)
      expect(await team.run('A', '{}')).toMatchObject({
        outcome: 'failed',
        error: { class: 'config', code: 'invalid_schema' },
        usage: { modelCalls: 0 },
      })
    },
  )

  it('an output schema may be of any type or have no type', async () => {
    const team = await openTeam({
      'a.md': card({
        name: 'A',
        model: 'passthrough',
        input: { schema: { properties: { city: { type: 'string' } } } },
        output: { schema: { type: 'array', items: { type: 'integer' } } },
      }),
    })
    expect(team.plan().problems).toEqual([])
  })

  it('invalid schemas in cards of other products are only warnings', async () => {
    const text = '---\ndescription: d\ninput: {schema: {type: text}}\n---\nHelp.\n'
    const team = await openTeam({ 'a.ai': text }, { model: 'passthrough' })
    expect(team.plan().problems).toMatchObject([{ severity: 'warning', code: 'invalid_schema', line: 3 }])
  })
})

describe('positions of card problems', () => {
  it('a problem without a line of its own is reported at the start of the card', async () => {
    const team = await openTeam({ 'a.md': card({ name: 'A', env: ['NOT_SET'] }) })
    expect(team.plan().problems).toMatchObject([
      { code: 'model_unset', line: 1, column: 1 },
      { code: 'env_missing', line: 4 },
    ])
  })

  it('a cycle is reported where the first agent refers to the next', async () => {
    const team = await openTeam({
      'a.md': card({ name: 'A', model: 'passthrough', default: true, agents: ['B'] }),
      'b.md': card({ name: 'B', model: 'passthrough', agents: ['A'] }),
    })
    expect(team.plan().problems).toMatchObject([{ code: 'agent_cycle', line: 6, column: 1 }])
  })

  it.each([
    ['an unknown model', { model: ['passthrough', 'nope/x'] }, 'model_unknown', 4],
    ['a composition that is not whole', { model: 'passthrough', type: 'chain' }, 'composition_incomplete', 5],
    ['a key without effect', { model: 'passthrough', mode: 'tools' }, 'key_without_effect', 5],
    ['a list without effect', { model: 'passthrough', runtimeTools: ['skills'] }, 'key_without_effect', 5],
  ])('a problem is reported at its position: %s', async (_, fields, code, line) => {
    const team = await openTeam({ 'a.md': card({ name: 'A', ...fields }) })
    expect(team.plan().problems).toMatchObject([{ code, line }])
  })
})
