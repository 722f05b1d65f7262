import { defineAgent, type AgentDefinition } from '@troupe/schema'
import { agentFieldsSchema, toDefinition } from '@troupe/schema/agent-keys'
import { assert, boolean, constantFrom, integer, property, record, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applySettings } from '../src/team/apply-settings.ts'
import { definitionFields, effectiveDefinition } from '../src/team/effective-definition.ts'

const child = defineAgent({ name: 'Child', instruction: 'Help.' })
const hook = () => ({ outcome: 'completed' as const, content: [] })
const rich = defineAgent({
  name: 'Rich',
  instruction: 'Do everything.',
  description: 'Everything.',
  model: ['openai/a', 'openai/b'],
  temperature: 0.5,
  stopSequences: ['END'],
  toolName: 'rich',
  input: { schema: { type: 'object', properties: { topic: { type: 'string' } } } },
  output: { format: 'json', schema: { type: 'object' } },
  agents: ['Other', child],
  servers: ['time'],
  mcpServers: { own: { command: 'node', args: ['x.ts'] } },
  tools: { time: ['get_*'] },
  functionTools: ['tools.ts:now', function local() {}],
  toolHooks: ['hooks.ts:audit', hook, { use: 'troupe:redact', words: ['x'] }],
  limits: { maxTurns: 3, toolTimeout: '2s' },
  historyMode: 'fork',
  toolPermission: 'always',
  permissions: { deny: ['time__*'] },
  acquire: { pool: 2 },
  sequence: ['A', 'B'],
  context: { strategy: 'fail' },
  env: ['KEY'],
})

const again = (definition: AgentDefinition): AgentDefinition => {
  const fields = agentFieldsSchema.parse(definitionFields(definition))
  const { name, instruction } = definition
  return toDefinition({ ...fields, name, instruction }, definition.source)
}

describe('the fields of a definition', () => {
  it('the fields of a definition produce the same definition again', () => {
    expect(again(rich).digest).toBe(rich.digest)
    expect(again(child).digest).toBe(child.digest)
    const lists = defineAgent({ name: 'L', instruction: 'x', tools: { read: true, write: false } })
    expect(again(lists).digest).toBe(lists.digest)
  })

  it('the fields of a definition with any simple keys produce the same definition again', () => {
    const cards = record(
      {
        description: string(),
        hidden: boolean(),
        model: constantFrom('openai/a', 'script/b'),
        maxOutputTokens: integer({ min: 1, max: 9999 }),
        limits: record({ maxTurns: integer({ min: 1, max: 50 }) }, { requiredKeys: [] }),
        historyMode: constantFrom('scratch' as const, 'fork' as const),
        toolPrefix: boolean(),
      },
      { requiredKeys: [] },
    )
    assert(
      property(cards, (fields) => {
        const definition = defineAgent({ ...fields, name: 'Any', instruction: 'x' })
        expect(again(definition).digest).toBe(definition.digest)
      }),
    )
  })
})

describe('settings from outside the card', () => {
  it('settings change only the keys that they name', () => {
    const { definition, problems } = applySettings(rich, {
      'limits.maxTurns': 9,
      temperature: 0,
      'permissions.ask': ['*'],
    })
    expect(problems).toEqual([])
    expect(definition.limits.maxTurns).toBe(9)
    expect(definition.limits.toolTimeout).toBe(2000)
    expect(definition.settings.temperature).toBe(0)
    expect(definition.permissions).toEqual({ deny: ['time__*'], ask: ['*'], allow: [] })
    expect(definition.toolHooks[1]).toBe(hook)
    expect(definition.digest).not.toBe(rich.digest)
  })

  it('unknown settings are rejected with a suggestion and change nothing', () => {
    const { definition, problems } = applySettings(rich, { 'limits.maxTurn': 9, model: 'openai/c' })
    expect(definition).toBe(rich)
    expect(problems).toMatchObject([
      {
        severity: 'error',
        code: 'usage_invalid',
        agent: 'Rich',
        message: '--set limits.maxTurn: unknown key; did you mean "maxTurns"?',
      },
    ])
    expect(applySettings(rich, { name: 'Other' }).problems).toMatchObject([{ code: 'usage_invalid' }])
    expect(applySettings(rich, { temperature: 'hot' }).problems).toMatchObject([{ code: 'usage_invalid' }])
  })

  it('settings cannot reach a prototype', () => {
    const { problems } = applySettings(rich, { '__proto__.polluted': true, 'constructor.prototype.x': 1 })
    expect(problems).not.toEqual([])
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
})

describe('the effective definition', () => {
  it('the effective definition takes defaults of the configuration for keys that the card does not set', () => {
    const defaults = { model: 'openai/d', limits: { maxTurns: 7, maxParallel: 2 } }
    expect(effectiveDefinition(rich, { defaults })).toMatchObject({
      model: ['openai/a', 'openai/b'],
      limits: { maxTurns: 3, maxParallel: 2 },
    })
    expect(effectiveDefinition(child, { defaults })).toMatchObject({
      model: ['openai/d'],
      limits: { maxTurns: 7, maxParallel: 2, maxDepth: 3 },
    })
    expect(effectiveDefinition(child, { defaults: {} })).toBe(child)
  })

  it('the effective definition has the model that overrides all others', () => {
    expect(effectiveDefinition(rich, { defaults: { model: 'x/y' }, model: 'script/z' }).model).toEqual([
      'script/z',
    ])
  })
})
