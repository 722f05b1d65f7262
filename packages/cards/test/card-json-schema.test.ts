import { AGENT_KEYS, defineAgent } from '@troupe/schema'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { cardJsonSchema, renderTemplate } from '../src/index.ts'
import { readYaml } from '../src/yaml/yaml.ts'

const schema = cardJsonSchema()
const validate = new Ajv2020({ strict: false }).compile(schema)

describe('cardJsonSchema', () => {
  it('knows every key of a card and says what it is for', () => {
    const properties = schema['properties'] as Readonly<Record<string, { readonly description?: string }>>
    expect(Object.keys(properties)).toEqual(AGENT_KEYS)
    for (const key of AGENT_KEYS) expect(properties[key]?.description).toMatch(/\w/u)
  })

  it('accepts a card and refuses an unknown key or a bad value', () => {
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

  it('accepts every template', () => {
    const template = renderTemplate(defineAgent({ name: 'x', description: 'd', instruction: 'hi' }))
    const read = readYaml(template.replaceAll('---\n', ''), 1)
    expect('value' in read && validate(read.value)).toBe(true)
  })

  it('has no alternatives that only code can give', () => {
    expect(validate({ functionTools: [{ execute: 1 }] })).toBe(false)
    expect(validate({ agents: [{ name: 'x' }] })).toBe(false)
    expect(validate({ loopHooks: { onEnd: 3 } })).toBe(false)
    expect(JSON.stringify(schema)).not.toMatch(/[[,]\{\}[,\]]/u)
  })
})
