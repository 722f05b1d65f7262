import type { AgentTool, JsonObject } from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EMPTY_TOOL, emptyParameter, emptySchema, type DraftParameter } from '../src/tools/draft/draft.ts'
import { fromDraft } from '../src/tools/draft/from-draft.ts'
import { toDraft } from '../src/tools/draft/to-draft.ts'

function toolOf(parameters: JsonObject): AgentTool {
  return {
    name: 'book',
    description: 'Books.',
    parameters: parameters as unknown as AgentTool['parameters'],
    prompt: 'Book it.',
  }
}

/** Any schema that a card may have, common or unusual. */
const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => {
  const described = fc.option(fc.string({ minLength: 1 }), { nil: undefined })
  const typed = (type: string, more: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<JsonObject> =>
    fc
      .record({ type: fc.constant(type), description: described, ...more }, { requiredKeys: ['type'] })
      .map((value) => JSON.parse(JSON.stringify(value)) as JsonObject)
  const numbers = fc.array(fc.integer(), { minLength: 1, maxLength: 3 })
  return {
    schema: fc.oneof(
      { maxDepth: 3 },
      typed('string', {
        enum: fc.array(fc.string(), { minLength: 1, maxLength: 3 }),
        default: fc.string(),
        minLength: fc.nat(),
        format: fc.constant('date'),
        pattern: fc.string(),
      }),
      typed('integer', { enum: numbers, minimum: fc.integer(), maximum: fc.integer(), examples: numbers }),
      typed('boolean', { default: fc.boolean() }),
      fc.record({
        anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
      }) as fc.Arbitrary<JsonObject>,
      typed('array', { items: tie('schema'), minItems: fc.nat(), uniqueItems: fc.constant(true) }),
      typed('object', {
        properties: fc.dictionary(fc.string({ minLength: 1 }), tie('schema'), { maxKeys: 3 }),
      }),
    ),
  }
})

function parameter(
  name: string,
  change: Partial<DraftParameter['schema']>,
  isRequired = false,
): DraftParameter {
  const kind = change.kind ?? 'string'
  return { ...emptyParameter(name), name, isRequired, schema: { ...emptySchema(kind), ...change } }
}

describe('tool draft', () => {
  it(`an unchanged draft results in the same tool, whatever its schema contains ${verifies('D40', 'D41')}`, () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/u), schema, { maxKeys: 4 }), (properties) => {
        const names = Object.keys(properties)
        const tool = toolOf({
          type: 'object',
          ...(names.length === 0 ? {} : { properties, required: names.slice(0, 1) }),
          additionalProperties: false,
        })
        expect(fromDraft(toDraft(tool)).tool).toEqual(tool)
      }),
    )
  })

  it('a draft keeps a null default and keywords that the editor does not support', () => {
    const tool = toolOf({
      type: 'object',
      properties: {
        note: { type: 'string', default: '', format: 'date' },
        odd: { type: ['string', 'null'] },
      },
      $defs: { x: {} },
    })
    expect(fromDraft(toDraft(tool))).toEqual({ tool, problems: [] })
  })

  it(`a draft writes every type with its keywords ${verifies('D40', 'D41')}`, () => {
    const { tool, problems } = fromDraft({
      ...EMPTY_TOOL,
      name: 'book',
      description: 'Books.',
      prompt: 'To {to}, {nights} nights.',
      parameters: [
        parameter(
          'to',
          { values: ['Oslo', 'Rome'], initial: 'Rome', minimum: '2', maximum: '9', description: 'Where.' },
          true,
        ),
        parameter('nights', { kind: 'integer', minimum: '1', maximum: '30', examples: ['3'] }, true),
        parameter('price', { kind: 'number', initial: '9.5' }),
        parameter('window', { kind: 'boolean', initial: 'true' }),
        parameter('tags', { kind: 'array', items: emptySchema('string'), minimum: '1', isUnique: true }),
        parameter('who', { kind: 'object', members: [parameter('age', { kind: 'integer' }, true)] }),
      ],
    })
    expect(problems).toEqual([])
    expect(tool.parameters).toEqual({
      type: 'object',
      properties: {
        to: {
          type: 'string',
          description: 'Where.',
          enum: ['Oslo', 'Rome'],
          default: 'Rome',
          minLength: 2,
          maxLength: 9,
        },
        nights: { type: 'integer', examples: [3], minimum: 1, maximum: 30 },
        price: { type: 'number', default: 9.5 },
        window: { type: 'boolean', default: true },
        tags: { type: 'array', items: { type: 'string' }, minItems: 1, uniqueItems: true },
        who: { type: 'object', properties: { age: { type: 'integer' } }, required: ['age'] },
      },
      required: ['to', 'nights'],
    })
  })
})

describe('invalid tool draft', () => {
  const placesOf = (draft: typeof EMPTY_TOOL, others: readonly string[] = []): readonly string[] =>
    fromDraft(draft, others).problems.map(({ key }) => key)

  it(`a draft without a name, a description or a prompt is invalid ${verifies('D38', 'D39')}`, () => {
    expect(placesOf(EMPTY_TOOL)).toEqual(['name', 'description', 'prompt'])
  })

  it('a draft with the name of another tool is invalid', () => {
    expect(placesOf({ ...EMPTY_TOOL, name: 'book', description: 'x', prompt: 'x' }, ['book'])).toEqual([
      'name',
    ])
  })

  it(`a draft with an unknown placeholder in the prompt is invalid ${verifies('D42')}`, () => {
    const draft = { ...EMPTY_TOOL, name: 'book', description: 'x', prompt: 'To {nowhere}' }
    expect(fromDraft(draft).problems).toEqual([{ key: 'prompt', message: '{nowhere} is not a parameter.' }])
  })

  it('a draft with unnamed or duplicate parameters, or with values of another type, is invalid', () => {
    const draft = {
      ...EMPTY_TOOL,
      name: 'book',
      description: 'x',
      prompt: 'x',
      parameters: [
        parameter('', {}),
        parameter('a', { kind: 'integer', initial: '1.5', minimum: '9', maximum: '3' }),
        { ...parameter('a', { kind: 'number', values: ['1', 'two'] }), id: 'second' },
        parameter('b', { values: ['x'], initial: 'y' }),
        parameter('c', { kind: 'string', minimum: '-1' }),
        parameter('d', { kind: 'other', json: '{' }),
      ],
    }
    expect(placesOf(draft).toSorted()).toEqual(
      [
        ' name',
        'a initial',
        'a maximum',
        'b initial',
        'c minimum',
        'd json',
        'second name',
        'second values',
      ].toSorted(),
    )
  })
})
