import { resultText, type Json, type JsonObject } from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanSchema, isPlainJson, readServerTool } from '../src/tools/server-tool.ts'
import { faultServer, TRANSPORTS } from './support/fault-servers.ts'
import { call, leaseOf, nodeServer, testPool } from './support/test-pool.ts'

const OBJECT = { type: 'object' }
const TAGS = '\u{e0041}\u{e0042}'

function nested(depth: number): JsonObject {
  let schema: Json = { type: 'string' }
  for (let level = 0; level < depth; level += 1) schema = { type: 'object', properties: { a: schema } }
  return schema
}

function remarkOf(entry: unknown): string {
  const { tool, remark } = readServerTool(entry)
  return `${tool === undefined ? 'left out: ' : ''}${remark ?? 'fine'}`
}

describe('an untrusted schema', () => {
  it('an untrusted schema keeps its identity when there is nothing to clean', () => {
    const schema = { type: 'object', properties: { city: { type: 'string', description: 'Où?\n“Quoted”' } } }
    expect(cleanSchema(schema)).toEqual({ schema })
    expect(cleanSchema(schema).schema).toBe(schema)
  })

  it('an untrusted schema loses invisible characters in its prose', () => {
    const schema = {
      type: 'object',
      title: `T${TAGS}`,
      properties: { city: { type: 'string', description: '\u202eread\u0007 me\u200b' } },
    }
    expect(cleanSchema(schema)).toEqual({
      schema: {
        type: 'object',
        title: 'T',
        properties: { city: { type: 'string', description: 'read me' } },
      },
      remark: 'contained invisible characters, which were removed',
    })
  })

  it.each<[string, JsonObject]>([
    ['invisible characters', { properties: { [`a${TAGS}`]: {} } }],
    ['invisible characters', { properties: { a: { enum: [`x${TAGS}`] } } }],
    ['invisible characters', { properties: { a: { default: { b: ['\u202e'] } } } }],
    ['__proto__', JSON.parse('{"properties": {"__proto__": {"type": "string"}}}') as JsonObject],
    ['nested deeper', nested(100)],
  ])('an untrusted schema is refused for %s that cannot be removed: %#', (why, schema) => {
    expect(cleanSchema(schema)).toEqual({ problem: expect.stringContaining(why) })
  })
})

describe('a schema with plain text', () => {
  const odd = fc.constantFrom(
    'description',
    '__proto__',
    'x-mcp-header',
    TAGS,
    '\u0007',
    '\b',
    '\u202e',
    '\ud800',
    '\\u',
  )
  const text = fc.oneof(
    odd,
    fc.string({ unit: 'binary' }),
    fc.constantFrom('y'.repeat(4090), 'z'.repeat(9000)),
  )
  const { value } = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.integer(),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.oneof(odd, fc.string()), tie('value'), { maxKeys: 3, noNullPrototype: true }),
    ),
  }))

  it('a schema with plain text contains nothing that a search would find', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.oneof(odd, fc.string()), value, { noNullPrototype: true }), (schema) => {
        fc.pre(isPlainJson(JSON.stringify(schema)))
        expect(cleanSchema(schema)).toEqual({ schema })
      }),
      { numRuns: 1000 },
    )
  })

  it.each<[string, JsonObject]>([
    ['what is not seen', { properties: { a: { enum: ['\u0007'] } } }],
    ['a member `__proto__`', JSON.parse('{"properties": {"__proto__": {}}}') as JsonObject],
    ['levels', nested(60)],
    ['length', { description: 'x'.repeat(9000) }],
  ])('a schema with plain text is distinguished from one with too many such characters: %s', (_, schema) => {
    expect(isPlainJson(JSON.stringify(schema))).toBe(false)
  })

  it('most schemas have plain text', () => {
    expect(
      isPlainJson('{"name":"a","inputSchema":{"type":"object","properties":{"n":{"type":"number"}}}}'),
    ).toBe(true)
  })
})

describe('an untrusted tool', () => {
  it.each<[unknown, RegExp]>([
    [{ name: 'a', inputSchema: nested(20_000) }, /^left out: .*nested too deeply/u],
    [{ name: 'a', inputSchema: nested(50) }, /^left out: .*cannot be shown to a model/u],
    [{ name: 'a', inputSchema: { ...OBJECT, x: 'y'.repeat(300_000) } }, /^left out: .*larger than 256 KiB/u],
    [{ name: `a${TAGS}`, inputSchema: OBJECT }, /^left out: .*no usable name/u],
    [{ name: 'a'.repeat(600), inputSchema: OBJECT }, /^left out: .*no usable name/u],
    [{ name: 'a', description: 'x'.repeat(9000), inputSchema: OBJECT }, /was cut to 8000 characters/u],
    [{ name: '__proto__', inputSchema: OBJECT }, /^fine$/u],
  ])(
    'an untrusted tool is offered or left out, and its problem is reported either way: %#',
    (entry, remark) => {
      expect(remarkOf(entry)).toMatch(remark)
    },
  )

  it(`thousands of untrusted tools cause at most twenty warnings ${verifies('C35')}`, async () => {
    const bad = Array.from({ length: 200 }, (_none, index) => ({ name: `bad\u0007${index}` }))
    const good = Array.from({ length: 1500 }, (_none, index) => ({ name: `t${index}` }))
    const warnings: string[] = []
    const server = nodeServer('fault-stdio.mjs', 'tools', JSON.stringify([...bad, ...good]))
    const lease = await leaseOf(testPool(), server, { onWarning: (text) => warnings.push(text) })
    expect(lease.tools).toHaveLength(1500)
    expect(warnings).toHaveLength(21)
    expect(warnings.at(-1)).toContain('180 further warnings')
  })

  it('a tool named like an object member is a tool like any other', async () => {
    const tools = ['__proto__', 'constructor', 'toString'].map((name) => ({ name, inputSchema: OBJECT }))
    const lease = await leaseOf(testPool(), nodeServer('fault-stdio.mjs', 'tools', JSON.stringify(tools)))
    expect(lease.tools.map(({ name }) => name)).toEqual(['tm____proto__', 'tm__constructor', 'tm__toString'])
    expect(({} as Record<string, unknown>)['name']).toBeUndefined()
  })
})

describe('a structured result', () => {
  it.each(TRANSPORTS)(
    'a structured result that does not match the output schema is removed, and its text is kept: %s',
    async (transport) => {
      const warnings: string[] = []
      const pool = testPool({
        validate: (_schema, args) => ({ ok: false, problems: [`no: ${JSON.stringify(args)}`] }),
      })
      const lease = await leaseOf(pool, await faultServer(transport), {
        onWarning: (text) => warnings.push(text),
      })
      const result = await call(lease, 'untrue')
      expect(result).toEqual({ outcome: 'completed', content: [{ type: 'text', text: 'sum: seven' }] })
      await call(lease, 'untrue')
      expect(warnings).toEqual([
        expect.stringMatching(/"untrue".*only its text is used: no: \{"sum":"seven"\}/u),
      ])
    },
  )

  it('a structured result that matches is passed on, and schemas are only compiled for results', async () => {
    const seen: unknown[] = []
    const pool = testPool({
      validate: (schema, args) => {
        seen.push(schema)
        return { ok: true, args }
      },
    })
    const lease = await leaseOf(pool, await faultServer('stdio'))
    expect(seen).toEqual([])
    expect(resultText(await call(lease, 'say', { text: 'hi' }))).toBe('hi')
    expect(seen).toEqual([])
    expect(await call(lease, 'untrue')).toMatchObject({ structured: { sum: 'seven' } })
    await call(lease, 'untrue')
    expect(seen).toHaveLength(2)
    expect(seen[0]).toBe(seen[1])
  })
})
