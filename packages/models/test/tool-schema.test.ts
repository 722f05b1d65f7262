import type { JsonObject } from '@troupe/schema'
import { relaxationText } from '@troupe/json-schema'
import { startFakeAnthropic, startFakeGoogle, startFakeOpenAI } from '@troupe/testkit'
import { verifies } from '@troupe/testkit/internal'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { resolveModel, toolRefusals, toolSchema } from '../src/index.ts'
import { convertSchema } from '../src/schemas/convert-schema.ts'
import { contextOf } from './context.ts'
import { stream } from './drive.ts'
import { SCHEMA_TARGETS, type SchemaTargetName } from '../src/schemas/schema-target.ts'

const BY_NAME_OR_ID: JsonObject = {
  type: 'object',
  properties: { verbose: { type: 'boolean' } },
  oneOf: [
    { properties: { kind: { const: 'name' }, name: { type: 'string' } }, required: ['kind', 'name'] },
    { properties: { kind: { const: 'id' }, id: { $ref: '#/$defs/id' } }, required: ['kind', 'id'] },
  ],
  $defs: { id: { type: 'integer' } },
}

function offered(
  provider: string,
  schema: JsonObject,
): { schema: JsonObject; relaxations: readonly string[] } {
  const { schema: converted, relaxations } = toolSchema(provider, schema)
  return { schema: converted, relaxations: relaxations.map(relaxationText) }
}

describe(`the parameters of a tool for a provider ${verifies('C34')}`, () => {
  it.each(['openai', 'anthropic'])(
    'tool parameters have no alternatives at the root for %s: their properties are merged',
    (provider) => {
      expect(offered(provider, BY_NAME_OR_ID)).toEqual({
        schema: {
          type: 'object',
          properties: {
            verbose: { type: 'boolean' },
            kind: { anyOf: [{ const: 'name' }, { const: 'id' }] },
            name: { type: 'string' },
            id: { $ref: '#/$defs/id' },
          },
          required: ['kind'],
          $defs: { id: { type: 'integer' } },
        },
        relaxations: ['oneOf of the root, as the root must be an object with properties'],
      })
    },
  )

  it.each([
    ['openai/gpt-5-mini', startFakeOpenAI],
    ['anthropic/claude-sonnet-4-5', startFakeAnthropic],
    ['google/gemini-2.5-flash', startFakeGoogle],
  ] as const)('tool parameters are sent to %s as the report says', async (id, start) => {
    const [provider = ''] = id.split('/')
    const fake = await start({ answers: [{ text: 'done' }] })
    try {
      const providers = { [provider]: { apiKey: 'key', baseURL: fake.baseURL } }
      const handle = await resolveModel(id, contextOf({}, { providers }))
      const inputSchema = BY_NAME_OR_ID as object
      const tools = [{ type: 'function' as const, name: 'find', description: 'Finds.', inputSchema }]
      await stream(handle.open({ agent: 'A', runId: 'r' }), { tools })
      const sent = JSON.stringify(fake.requests[0]?.body)
      expect(sent).toContain(JSON.stringify(toolSchema(provider, BY_NAME_OR_ID).schema))
    } finally {
      await fake.close()
    }
  })

  it('tool parameters follow a reference at the root', () => {
    const schema: JsonObject = {
      $ref: '#/$defs/trip',
      $defs: { trip: { type: 'object', properties: { to: { $ref: '#/$defs/trip' } }, required: ['to'] } },
    }
    expect(offered('openai', schema).schema).toMatchObject({
      type: 'object',
      properties: { to: { $ref: '#/$defs/trip' } },
      required: ['to'],
    })
  })

  it('tool parameters have properties for OpenAI, even if there are none', () => {
    expect(offered('openai', { type: 'object' })).toEqual({
      schema: { type: 'object', properties: {} },
      relaxations: [],
    })
  })

  it('tool parameters lose optional names that Anthropic does not allow; required ones are refused', () => {
    const schema = { type: 'object', properties: { $filter: {}, top: {} } }
    expect(offered('anthropic', schema)).toEqual({
      schema: { type: 'object', properties: { top: {} } },
      relaxations: ['properties of /$filter, as the name is not allowed'],
    })
    expect(toolRefusals('anthropic', { description: '', inputSchema: schema })).toEqual([])
    const needed = { ...schema, required: ['$filter'] }
    expect(toolRefusals('anthropic', { description: '', inputSchema: needed })).toMatchObject([
      expect.stringContaining('"$filter"'),
    ])
    expect(toolRefusals('openai', { description: 'x'.repeat(1025), inputSchema: schema })).toHaveLength(1)
  })

  it('tool parameters are of draft 2020-12 for Anthropic', () => {
    const at = { type: 'array', items: [{ type: 'number' }], additionalItems: false }
    const low = { type: 'number', minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false }
    expect(offered('anthropic', { type: 'object', properties: { at, low } }).schema['properties']).toEqual({
      at: { type: 'array', prefixItems: [{ type: 'number' }], items: false },
      low: { type: 'number', exclusiveMinimum: 1, maximum: 9 },
    })
  })

  it('tool parameters have no constants for Google and nothing beside references', () => {
    const schema = {
      type: 'object',
      properties: { a: { const: 'x' }, b: { $ref: '#/$defs/b', description: 'Other.', minLength: 1 } },
      $defs: { b: { type: 'string', pattern: '^b' } },
    }
    expect(offered('google', schema)).toEqual({
      schema: {
        type: 'object',
        properties: { a: { enum: ['x'] }, b: { $ref: '#/$defs/b' } },
        $defs: { b: { type: 'string', pattern: '^b' } },
      },
      relaxations: ['minLength of /b, as $ref allows no other keywords'],
    })
    expect(toolSchema('google', schema).unenforced).toContainEqual({
      path: '/$defs/b',
      keyword: 'pattern',
      why: 'it is not enforced',
    })
  })

  it('tool parameters keep their identity if nothing has to change or nothing is known', () => {
    const schema = { type: 'object', properties: { a: { type: 'array', items: { type: 'string' } } } }
    for (const provider of ['openai', 'anthropic', 'google', 'ollama', 'openrouter', 'constructor'])
      expect(toolSchema(provider, schema).schema).toBe(schema)
    expect(toolSchema('ollama', BY_NAME_OR_ID).schema).toBe(BY_NAME_OR_ID)
  })

  it('tool parameters with a recursive schema are converted without an endless loop', () => {
    const again = Array.from({ length: 20 }, () => ({ $ref: '#/$defs/a' }))
    const schema: JsonObject = { $ref: '#/$defs/a', $defs: { a: { anyOf: again, properties: { x: true } } } }
    expect(offered('openai', schema).schema['properties']).toEqual({ x: true })
  })

  it('tool parameters are converted deterministically, without a throw or an edit', () => {
    const names = fc.constantFrom('a', 'b c', '__proto__', 'constructor')
    const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
      schema: fc.oneof(
        { depthSize: 'small', maxDepth: 3 },
        fc.constant({}),
        fc.record(
          {
            type: fc.constantFrom('object', 'array', 'string'),
            properties: fc.dictionary(names, tie('schema'), { maxKeys: 2 }),
            required: fc.array(names, { maxLength: 2 }),
            items: fc.oneof(tie('schema'), fc.array(tie('schema'), { maxLength: 2 })),
            anyOf: fc.array(tie('schema'), { maxLength: 2 }),
            oneOf: fc.array(tie('schema'), { maxLength: 2 }),
            allOf: fc.array(tie('schema'), { maxLength: 2 }),
            $ref: fc.constantFrom('#/$defs/a', '#', '#/$defs/__proto__'),
            $defs: fc.dictionary(names, tie('schema'), { maxKeys: 2 }),
            minLength: fc.nat(),
            exclusiveMinimum: fc.boolean(),
            not: fc.boolean(),
          },
          { requiredKeys: [] },
        ),
      ) as fc.Arbitrary<JsonObject>,
    }))
    const targets = fc.constantFrom(...(Object.keys(SCHEMA_TARGETS) as SchemaTargetName[]))
    fc.assert(
      fc.property(schema, targets, (given, target) => {
        const before = JSON.stringify(given)
        const first = convertSchema(target, given)
        expect(convertSchema(target, given)).toEqual(first)
        expect(convertSchema(target, first.schema).schema).toEqual(first.schema)
        expect(JSON.stringify(given)).toBe(before)
      }),
    )
  })
})
