import { isJsonObject, type JsonObject } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import { ID, SHOP_CARD, readShop, toolOf, toolsOf } from './project.ts'

const OBJECT = { name: 'o', in: 'query', required: true, schema: { type: 'object' } }
const FORM = { required: true, content: { 'multipart/form-data': { schema: {} } } }
const MANY = Object.fromEntries(Array.from({ length: 101 }, (_value, index) => [`/p${index}`, { get: {} }]))
const DEEP = {
  parameters: [
    {
      ...ID,
      in: 'query',
      schema: Array.from({ length: 40 }).reduce((inner) => ({ allOf: [inner] }), {}) as JsonObject,
    },
  ],
}

describe('an OpenAPI document that cannot be used as a whole', () => {
  it.each([
    ['a body that is not JSON', { requestBody: FORM }, 'its body is not JSON'],
    ['a required cookie', { parameters: [{ ...ID, in: 'cookie' }] }, 'the cookie parameter "id"'],
    ['a required object', { parameters: [OBJECT] }, 'which is an object'],
    ['an unknown reference', { parameters: [{ $ref: '#/gone' }] }, 'a part of it is missing'],
    ['another file', { parameters: [{ $ref: 'other.json#/a' }] }, 'outside the document'],
    ['a reference to itself', { parameters: [{ $ref: '#/components/loop' }] }, 'lead to each other'],
  ])('an operation that Troupe cannot call is left out with a warning: %s', async (_name, operation, why) => {
    const card = await readShop({
      openapi: '3.0.0',
      paths: { '/a': { post: operation, get: {} } },
      components: { loop: { $ref: '#/components/loop' } },
    })
    expect(toolsOf(card).map(({ method }) => method)).toEqual(['GET'])
    expect(card.problems).toMatchObject([{ severity: 'warning', code: 'key_without_effect' }])
    expect(card.problems[0]?.message).toContain(`POST /a (`)
    expect(card.problems[0]?.message).toContain(why)
  })

  it.each([
    ['a URL', {}, { spec: 'https://shop.example/openapi.json' }, 'Troupe fetches nothing'],
    ['a missing file', {}, { spec: './gone.json' }, 'the file does not exist'],
    ['a file elsewhere', {}, { spec: '/etc/hostname' }, 'it is outside of'],
    ['broken JSON', '{', {}, 'cannot be read'],
    ['YAML under another name', 'openapi: 3.0.0', {}, 'it is not JSON, or YAML'],
    ['another kind of document', { swagger: '2.0' }, {}, 'not a document of OpenAPI 3'],
    ['no operations', { openapi: '3.0.0' }, {}, 'has no operation'],
    [
      'an empty filter',
      { openapi: '3.0.0', paths: { '/a': { get: {} } } },
      { includeMethods: [] },
      'has no operation',
    ],
    ['a filter that is not a list', { openapi: '3.0.0' }, { tagFilter: 3 }, 'needs a list of names'],
    ['an unknown key', { openapi: '3.0.0' }, { exclude: [] }, 'the unknown key `exclude`'],
    ['no address', { openapi: '3.0.0', servers: [{ url: '/v1' }] }, { baseUrl: null }, 'needs a `baseUrl`'],
    [
      'a relative path',
      { openapi: '3.0.0', paths: { '.evil.example/x': { get: {} } } },
      {},
      'does not start with',
    ],
    ['too many operations', { openapi: '3.0.0', paths: MANY }, {}, 'has 101 operations'],
    ['a deep schema', { openapi: '3.0.0', paths: { '/a': { get: DEEP } } }, {}, 'too large'],
    ['a huge document', `{"openapi": "3.0.0", "x": "${'x'.repeat(4 * 1024 * 1024)}"}`, {}, 'more than 4 MiB'],
  ])('a document that Troupe cannot use is an error: %s', async (_name, document, settings, message) => {
    const card = await readShop(document, { settings })
    expect(card.definition).toBeUndefined()
    expect(card.problems.map((problem) => problem.message).join()).toContain(message)
  })

  it('schemas that multiply by their references stay small', async () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 60 }, (_value, index) => {
        const next = { $ref: `#/components/schemas/s${index + 1}` }
        return [
          `s${index}`,
          index === 59 ? { type: 'string' } : { type: 'object', properties: { a: next, b: next } },
        ]
      }),
    )
    const content = { 'application/json': { schema: { $ref: '#/components/schemas/s0' } } }
    const tool = await toolOf({ requestBody: { content } }, '/a', { components: { schemas } })
    const definitions = tool.parameters?.['$defs']
    expect(isJsonObject(definitions) && Object.keys(definitions)).toHaveLength(60)
  })

  it('long names, many parameters and long texts of a document cost little', async () => {
    const long = 'x'.repeat(200_000)
    const parameters = Array.from({ length: 8_000 }, (_value, index) => ({
      ...ID,
      in: 'query',
      name: `é${'è'.repeat(index % 7)}${index % 11}.${'-'.repeat(index % 300)}`,
    }))
    const big = { enum: [long], description: long, properties: { [long]: {} } }
    const card = await readShop(
      {
        openapi: '3.0.0',
        servers: [{ url: `https://a.example${'/'.repeat(1900)}` }],
        paths: {
          [`/${long}`]: { get: {} },
          '/names': { get: { operationId: `${'_'.repeat(200_000)}x` } },
          '/many': { get: { parameters } },
          ...Object.fromEntries(
            Array.from({ length: 90 }, (_value, index) => [
              `/big${index}`,
              { post: { requestBody: { content: { 'application/json': { schema: { $ref: '#/big' } } } } } },
            ]),
          ),
        },
        big,
      },
      { settings: { baseUrl: null } },
    )
    const tools = toolsOf(card)
    expect(tools[0]?.url).toBe('https://a.example/names')
    expect(JSON.stringify(tools).length).toBeLessThan(20_000_000)
    expect(card.problems[0]?.message).toContain('its path is too long')
    expect(card.problems[0]?.message).toContain('more than 100 parameters')
  })

  it('a tool of a document that the configuration does not have is an error', async () => {
    const card = await readShop({}, { card: SHOP_CARD.replace('openapi:shop', 'openapi:gone') })
    expect(card.problems).toMatchObject([{ code: 'card_unsupported', severity: 'error', line: 3 }])
  })
})
