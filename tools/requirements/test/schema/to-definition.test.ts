import { defineAgent, type AgentDefinition } from '@troupe/schema'
import { DEFAULT_LIMITS, toDefinition } from '@troupe/schema/agent-keys'
import { canonicalJson, sha256Hex } from '@troupe/schema/json'
import { verifies } from '@troupe/testkit/internal'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'

type Fields = Parameters<typeof defineAgent>[0]

function agent(fields: Partial<Fields> = {}): AgentDefinition {
  return defineAgent({ name: 'A', instruction: 'Do it.', ...fields })
}

describe('a definition', () => {
  it('a definition has every default filled in', () => {
    const { digest, ...definition } = agent()
    expect(digest).toMatch(/^[0-9a-f]{64}$/u)
    expect(definition).toEqual({
      name: 'A',
      instruction: 'Do it.',
      source: { kind: 'code', path: 'defineAgent(A)' },
      version: '0.0.0',
      type: 'agent',
      mode: 'interactive',
      default: false,
      hidden: false,
      model: [],
      settings: {},
      input: { format: 'text' },
      output: { format: 'text' },
      agents: [],
      agentTools: {},
      servers: [],
      mcpServers: {},
      tools: {},
      functionTools: [],
      toolHooks: [],
      loopHooks: {},
      exports: { tools: [], skills: [] },
      skills: [],
      limits: DEFAULT_LIMITS,
      ownLimits: [],
      historyMode: 'scratch',
      toolPermission: 'tool',
      requiresApproval: [],
      permissions: { deny: [], ask: [], allow: [] },
      runtimeTools: [],
      toolPrefix: true,
      store: 'full',
      context: { strategy: 'trim' },
      composition: {},
      acquire: { kind: 'fresh' },
      display: { maxInstances: 20 },
      env: [],
    })
  })

  it(`a definition defaults to its input alone as history and to 20 visible instances ${verifies('B12', 'B15')}`, () => {
    expect(agent()).toMatchObject({ historyMode: 'scratch', display: { maxInstances: 20 } })
    const other = agent({ historyMode: 'fork_and_merge', display: { maxInstances: 5 } })
    expect(other).toMatchObject({ historyMode: 'fork_and_merge', display: { maxInstances: 5 } })
  })

  it(`a definition accepts durations in ms or as text, and defaults to four parallel children ${verifies('R4')}`, () => {
    expect(agent().limits.maxParallel).toBe(4)
    const { limits, ownLimits } = agent({
      limits: { maxParallel: 128, childTimeout: '120s', llmTimeout: 5000 },
    })
    expect(limits).toEqual({ ...DEFAULT_LIMITS, maxParallel: 128, childTimeout: 120_000, llmTimeout: 5000 })
    expect([...ownLimits].toSorted()).toEqual(['childTimeout', 'llmTimeout', 'maxParallel'])
  })

  it.each<[string, Fields['tools'], object, readonly string[]]>([
    ['text', 'a, b*,', { allow: ['a', 'b*'] }, []],
    ['a list', ['a'], { allow: ['a'] }, []],
    ['an empty list', [], { allow: [] }, []],
    ['lists by server', { time: ['get_*'], other: [] }, { servers: { time: ['get_*'], other: [] } }, []],
    ['an empty map', {}, { servers: {} }, []],
    ['switches', { read: true, 'shell*': false }, { allow: ['read'] }, ['shell*']],
    ['switches off only', { shell: false }, {}, ['shell']],
  ])(`a definition filters tools by %s ${verifies('B6')}`, (_, tools, filter, deny) => {
    const definition = agent({ ...(tools === undefined ? {} : { tools }), permissions: { deny: ['x'] } })
    expect(definition.tools).toEqual(filter)
    expect(definition.permissions.deny).toEqual(['x', ...deny])
  })

  it('a definition has JSON Schemas in place of zod schemas, and answers in JSON if it has one', () => {
    const { input, output } = agent({
      input: { schema: z.object({ city: z.string() }) },
      output: { schema: { type: 'object' } },
    })
    expect(input).toMatchObject({ format: 'json', schema: { type: 'object', required: ['city'] } })
    expect(output).toEqual({ format: 'json', schema: { type: 'object' } })
    expect(agent({ output: { format: 'markdown' } }).output).toEqual({ format: 'markdown' })
  })

  it('a definition rejects the path of a schema that was not read', () => {
    expect(() => agent({ input: { schema: 'input.json' } })).toThrow(
      expect.objectContaining({ code: 'invalid_schema' }),
    )
  })

  it('a definition is immutable', () => {
    const definition = agent({ agents: ['B'], limits: { maxTurns: 3 } })
    expect(() => Object.assign(definition.limits, { maxTurns: 99 })).toThrow(TypeError)
    expect(() => (definition.agents as string[]).push('C')).toThrow(TypeError)
  })

  it('a definition with equal contents has the same digest in any location', () => {
    const one = agent({ temperature: 0.5, limits: { maxTurns: 3 } })
    const fields = { limits: { maxTurns: 3 }, temperature: 0.5, instruction: 'Do it.', name: 'A' }
    const two = toDefinition(fields, { kind: 'file', path: 'a.md', folder: '/cards' })
    expect(two.digest).toBe(one.digest)
    expect(agent({ temperature: 0.6, limits: { maxTurns: 3 } }).digest).not.toBe(one.digest)
  })

  it('the digest of a definition changes if a child given by value changes', () => {
    const child = agent({ name: 'Child' })
    const changed = agent({ name: 'Child', instruction: 'Other.' })
    expect(agent({ agents: [child] }).digest).not.toBe(agent({ agents: [changed] }).digest)
  })
})

describe('canonicalJson', () => {
  it('canonicalJson is equal for equal values, whatever the order of their keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const reversed = Object.fromEntries(Object.entries(value).toReversed())
        expect(canonicalJson(reversed)).toBe(canonicalJson(value))
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it('the hash of canonicalJson is the one of other programs', () => {
    expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })
})
