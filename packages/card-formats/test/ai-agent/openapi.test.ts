import { dirname } from 'node:path'
import { localFiles } from '@troupe/cards'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { convertCard, parseCard } from '../cards.ts'
import { ID, SHOP_CARD, readShop, toolOf, toolsOf } from './project.ts'

const SHOP = `openapi: 3.0.3
servers: [{ url: https://elsewhere.example }]
paths:
  /orders/{order-id}:
    parameters:
      - $ref: '#/components/parameters/Order'
    get:
      operationId: getOrder
      summary: Finds an order.
      tags: [orders]
      parameters:
        - { name: with, in: query, schema: { type: array, items: { type: string } } }
        - { name: X-Trace, in: header, schema: { type: string } }
        - { name: session, in: cookie, schema: { type: string } }
    patch:
      operationId: change order
      requestBody:
        required: true
        content:
          application/json:
            schema: { $ref: '#/components/schemas/Order' }
    head: {}
  /goods:
    get: { tags: [goods] }
components:
  parameters:
    Order: { name: order-id, in: path, required: true, schema: { type: integer } }
  schemas:
    Order:
      type: object
      required: [id, parts]
      properties:
        id: { type: integer, readOnly: true }
        note: { type: string, nullable: true, pattern: '(?=x)', example: hello }
        parts: { type: array, items: { $ref: '#/components/schemas/Order' } }
`

describe('the tools of an OpenAPI document', () => {
  it(`an OpenAPI document in YAML becomes HTTP tools ${verifies('R4')}`, async () => {
    const card = await readShop(SHOP, {
      file: 'api/shop.yaml',
      settings: { baseUrl: '${SHOP}/v1/', headers: { authorization: 'Bearer ${KEY}' } },
    })
    expect(card.problems).toEqual([])
    expect(card.definition?.env).toEqual(['SHOP', 'KEY'])
    const headers = { authorization: 'Bearer ${KEY}' }
    expect(toolsOf(card)).toEqual([
      {
        use: 'troupe:http',
        name: 'rest__shop_getOrder',
        description: 'Finds an order.',
        method: 'GET',
        url: '${SHOP}/v1/orders/${parameters.order_id}',
        query: { with: '${parameters.with}' },
        headers: { 'X-Trace': '${parameters.X_Trace}', ...headers },
        parameters: {
          type: 'object',
          properties: {
            order_id: { type: 'integer', minLength: 1 },
            with: { type: 'array', items: { type: 'string' } },
            X_Trace: { type: 'string' },
          },
          required: ['order_id'],
          additionalProperties: false,
        },
      },
      {
        use: 'troupe:http',
        name: 'rest__shop_change_order',
        description: 'PATCH /orders/{order-id}',
        method: 'PATCH',
        url: '${SHOP}/v1/orders/${parameters.order_id}',
        headers,
        body: '${parameters.body}',
        parameters: {
          type: 'object',
          properties: { order_id: { type: 'integer', minLength: 1 }, body: { $ref: '#/$defs/s1' } },
          required: ['order_id', 'body'],
          additionalProperties: false,
          $defs: {
            s1: {
              type: 'object',
              required: ['parts'],
              properties: {
                note: { type: ['string', 'null'] },
                parts: { type: 'array', items: { $ref: '#/$defs/s1' } },
              },
            },
          },
        },
      },
      {
        use: 'troupe:http',
        name: 'rest__shop_get_goods',
        description: 'GET /goods',
        method: 'GET',
        url: '${SHOP}/v1/goods',
        headers,
        parameters: { type: 'object', properties: {}, additionalProperties: false },
      },
    ])
  })

  it.each([
    [{ includeMethods: ['GET', 'patch'], tagFilter: ['goods'] }, ['rest__shop_get_goods']],
    [{ includeMethods: 'patch' }, ['rest__shop_change_order']],
    [{ tagFilter: ['orders', 'goods'] }, ['rest__shop_getOrder', 'rest__shop_get_goods']],
  ])('only the selected operations become tools: %j', async (settings, names) => {
    expect(toolsOf(await readShop(SHOP, { file: 'shop.yml', settings })).map(({ name }) => name)).toEqual(
      names,
    )
  })

  it('the address is that of the first server if the configuration has none', async () => {
    const servers = [{ url: 'https://{zone}.shop.example/v2', variables: { zone: { default: 'eu' } } }]
    const [tool] = toolsOf(
      await readShop(
        { openapi: '3.0.0', servers, paths: { '/x': { get: {} } } },
        { settings: { baseUrl: null } },
      ),
    )
    expect(tool?.url).toBe('https://eu.shop.example/v2/x')
  })

  it('a document cannot name variables of the configuration', async () => {
    const card = await readShop(
      {
        openapi: '3.0.0',
        servers: [{ url: 'https://a.example/{v}', variables: { v: { default: '${KEY}' } } }],
        paths: { '/x/${KEY}': { post: { description: '${KEY}', parameters: [{ ...ID, name: 'KEY' }] } } },
      },
      { settings: { baseUrl: null } },
    )
    const [tool] = toolsOf(card)
    expect(card.definition?.env).toEqual([])
    expect(tool?.url).toBe('https://a.example/%24{KEY}/x/%24${parameters.KEY}')
  })

  it('the names of tools are valid, at most 64 characters long and unique', async () => {
    const operationId = `look / ${'x'.repeat(90)}`
    const card = await readShop({
      openapi: '3.0.0',
      paths: { '/a': { get: { operationId } }, '/b': { get: { operationId: `${operationId}y` } } },
    })
    const names = toolsOf(card).map(({ name }) => name)
    expect(new Set(names).size).toBe(2)
    for (const name of names) expect(name).toMatch(/^rest__shop_look_x{10}[\w-]*$/u)
    expect(Math.max(...names.map((name) => name.length))).toBe(64)
  })

  it('arguments with the same name in different places stay apart', async () => {
    const tool = await toolOf(
      {
        parameters: [ID, { ...ID, in: 'query' }, { ...ID, name: 'body', in: 'query' }],
        requestBody: { content: { 'application/vnd.api+json': { schema: { type: 'object' } } } },
      },
      '/things/{id}',
    )
    expect(tool).toMatchObject({
      url: 'https://shop.example/v1/things/${parameters.id}',
      query: { id: '${parameters.id_2}', body: '${parameters.body}' },
      body: '${parameters.body_2}',
      headers: { 'content-type': 'application/vnd.api+json' },
    })
  })

  it('a parameter of the operation replaces that of its path', async () => {
    const operation = { parameters: [{ ...ID, schema: { type: 'integer' } }] }
    const paths = { '/t/{id}': { parameters: [ID], get: operation } }
    const [tool] = toolsOf(await readShop({ openapi: '3.0.0', paths }))
    expect(tool?.parameters?.['properties']).toEqual({ id: { type: 'integer', minLength: 1 } })
  })

  it('a list that is not repeated is a text with separators', async () => {
    const schema = { type: 'array', items: { type: 'string' } }
    const tool = await toolOf({
      parameters: [
        { name: 'fields', in: 'query', explode: false, schema, description: 'Fields.' },
        { name: 'pipes', in: 'query', style: 'pipeDelimited', schema },
      ],
    })
    expect(tool.parameters?.['properties']).toEqual({
      fields: { type: 'string', description: 'Fields. (a list, separated by commas)' },
      pipes: { type: 'string', description: '(a list, separated by |)' },
    })
  })

  it('the properties of an object in the query are arguments of their own', async () => {
    const properties = { mail: { type: 'string' }, ids: { type: 'array', items: { type: 'integer' } } }
    const schema = { type: 'object', required: ['mail'], properties }
    const { mail } = properties
    const tool = await toolOf({
      parameters: [
        { name: 'person', in: 'query', required: true, schema },
        { name: 'filter', in: 'query', style: 'deepObject', schema: { properties: { mail } } },
      ],
    })
    expect(tool.query).toEqual({
      mail: '${parameters.mail}',
      ids: '${parameters.ids}',
      'filter[mail]': '${parameters.filter_mail_}',
    })
    expect(tool.parameters).toMatchObject({
      properties: { ...properties, filter_mail_: mail },
      required: ['mail'],
    })
  })

  it('headers of the connection and of the configuration are no arguments', async () => {
    const schema = { type: 'string' }
    const parameters = ['Host', 'authorization', 'x-team'].map((name) => ({ name, in: 'header', schema }))
    const card = await readShop(
      { openapi: '3.0.0', paths: { '/a': { get: { parameters } } } },
      { settings: { headers: { 'X-Team': 'a' } } },
    )
    expect(toolsOf(card)[0]).toMatchObject({ headers: { 'X-Team': 'a' }, parameters: { properties: {} } })
  })

  it('limits of OpenAPI 3.0 become those of JSON Schema, and keywords without a valid value disappear', async () => {
    const tool = await toolOf({
      requestBody: {
        content: {
          'application/json': {
            schema: {
              type: 'object',
              minimum: 'x',
              discriminator: {},
              properties: {
                n: {
                  type: 'integer',
                  minimum: 1,
                  exclusiveMinimum: true,
                  maximum: 9,
                  exclusiveMaximum: false,
                },
                file: { type: 'file' },
                either: { oneOf: [{ type: 'string' }, { type: 'number' }], default: 'x' },
              },
            },
          },
        },
      },
    })
    expect(tool.parameters?.['properties']).toEqual({
      body: {
        type: 'object',
        properties: {
          n: { type: 'integer', exclusiveMinimum: 1, maximum: 9 },
          file: {},
          either: { anyOf: [{ type: 'string' }, { type: 'number' }], default: 'x' },
        },
      },
    })
  })

  it('a converted card has the tools of the document and needs it no more', async () => {
    const card = await readShop(SHOP, { file: 'shop.yaml', settings: { headers: { key: '${KEY}' } } })
    const { cards } = convertCard(SHOP_CARD, {
      path: card.path,
      ...localFiles(card.path),
      workspace: dirname(card.path),
    })
    const converted = parseCard(cards[0]?.text ?? '', { path: '/elsewhere/a.md' })
    expect(converted.problems).toEqual([])
    expect(converted.definition?.functionTools).toHaveLength(3)
    expect(converted.definition?.digest).toBe(card.definition?.digest)
  })
})
