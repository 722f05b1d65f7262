import { defineAgent, isJsonObject, type Json } from '@troupe/schema'
import { AGENT_KEYS } from '@troupe/schema/agent-keys'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { cardJsonSchema, renderTemplate } from '../src/index.ts'
import { readYaml } from '../src/yaml/yaml.ts'

const schema = cardJsonSchema()
const validate = new Ajv2020({ strict: false }).compile(schema)

interface Described {
  readonly description?: string
}

/** The properties of a schema at any depth, by key. */
function propertiesOf(value: Json): Readonly<Record<string, Described>> {
  if (Array.isArray(value))
    return Object.assign({}, ...(value as readonly Json[]).map(propertiesOf)) as Record<string, Described>
  if (!isJsonObject(value)) return {}
  const inner = Object.values(value).map(propertiesOf)
  const own = isJsonObject(value['properties'])
    ? (value['properties'] as Readonly<Record<string, Described>>)
    : {}
  return Object.assign({}, ...inner, own) as Record<string, Described>
}

describe('cardJsonSchema', () => {
  it('cardJsonSchema describes every key of a card', () => {
    const properties = schema['properties'] as Readonly<Record<string, { readonly description?: string }>>
    expect(Object.keys(properties)).toEqual(AGENT_KEYS)
    for (const key of AGENT_KEYS) expect(properties[key]?.description).toMatch(/\w/u)
  })

  it('cardJsonSchema accepts a card and rejects an unknown key or a bad value', () => {
    expect(validate({ name: 'x', limits: { toolTimeout: '5m', maxTurns: 3 }, tools: { time: ['*'] } })).toBe(
      true,
    )
    expect(validate({ toolHooks: ['a.ts:b', { use: 'troupe:redact', keys: ['x'] }], model: ['a/b'] })).toBe(
      true,
    )
    expect(validate({ descripton: 'x' })).toBe(false)
    expect(validate({ limits: { maxTurn: 3 } })).toBe(false)
    expect(validate({ mode: 'tool' })).toBe(false)
  })

  it('cardJsonSchema describes the unit of every duration', () => {
    const durations = Object.entries(propertiesOf(schema)).filter(([key]) => /(?:timeout|ttl)$/iu.test(key))
    expect(durations.map(([key]) => key)).toEqual(
      expect.arrayContaining(['timeout', 'toolTimeout', 'startTimeout', 'approvalTimeout', 'ttl']),
    )
    for (const [, { description }] of durations) expect(description).toMatch(/"30s".*milliseconds/u)
  })

  it('cardJsonSchema accepts every template', () => {
    const template = renderTemplate(defineAgent({ name: 'x', description: 'd', instruction: 'hi' }))
    const read = readYaml(template.replaceAll('---\n', ''), 1)
    expect('value' in read && validate(read.value)).toBe(true)
  })

  it('cardJsonSchema has no alternatives that are only possible in code', () => {
    expect(validate({ functionTools: [{ execute: 1 }] })).toBe(false)
    expect(validate({ agents: [{ name: 'x' }] })).toBe(false)
    expect(validate({ loopHooks: { onEnd: 3 } })).toBe(false)
    expect(JSON.stringify(schema)).not.toMatch(/[[,]\{\}[,\]]/u)
  })
})
