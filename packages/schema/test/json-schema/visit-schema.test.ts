import type { JsonSchema, SchemaKind } from '@troupe/schema'
import * as fc from 'fast-check'
import { describe, expect, expectTypeOf, it } from 'vitest'
import {
  isSchemaOf,
  SCHEMA_KINDS,
  schemaKind,
  visitSchema,
  type SchemaVisitor,
} from '../../src/json-schema/index.ts'
import { arbitrarySchema } from './arbitrary-schema.ts'

const EXAMPLES = {
  string: { type: 'string' },
  numeric: { type: 'integer' },
  boolean: { type: 'boolean' },
  null: { type: 'null' },
  array: { type: 'array', items: {} },
  object: { type: 'object' },
  enum: { enum: ['a', 1] },
  const: { const: null },
  anyOf: { anyOf: [{}] },
  oneOf: { oneOf: [{}] },
  allOf: { allOf: [{}] },
  ref: { $ref: '#' },
  any: { description: 'Anything.' },
  never: { not: {} },
} as const satisfies Record<SchemaKind, JsonSchema>

/** Says which member of the union it was called with. */
const NAMES = Object.fromEntries(
  SCHEMA_KINDS.map((kind) => [kind, () => kind]),
) as unknown as SchemaVisitor<SchemaKind>

describe('a visitor of schemas', () => {
  it.each(Object.entries(EXAMPLES))('is called for %s', (kind, schema) => {
    expect(visitSchema(schema, NAMES)).toBe(kind)
    expect(isSchemaOf(schema, kind as SchemaKind)).toBe(true)
  })

  it('has all kinds, or does not compile', () => {
    expect(SCHEMA_KINDS).toEqual(Object.keys(EXAMPLES))
    const { null: _, ...lacking } = NAMES
    // @ts-expect-error -- nothing is done with null
    expect(() => visitSchema({ type: 'null' }, lacking)).toThrow(TypeError)
  })

  it('is called for every schema there is', () => {
    fc.assert(
      fc.property(arbitrarySchema, (schema) => {
        expect(visitSchema(schema, NAMES)).toBe(schemaKind(schema))
      }),
    )
  })

  it('hands on what it is given', () => {
    const count: SchemaVisitor<number, number> = {
      ...(Object.fromEntries(SCHEMA_KINDS.map((kind) => [kind, () => 0])) as unknown as SchemaVisitor<
        number,
        number
      >),
      string: (schema, more) => {
        expectTypeOf(schema.type).toEqualTypeOf<'string'>()
        return (schema.minLength ?? 0) + more
      },
    }
    expect(visitSchema({ type: 'string', minLength: 2 }, count, 3)).toBe(5)
  })

  it('narrows what it asks for', () => {
    const schema: JsonSchema = EXAMPLES.array
    expect(isSchemaOf(schema, 'array') ? schema.items : undefined).toEqual({})
    expect(isSchemaOf({ type: 'number' }, 'numeric')).toBe(true)
  })
})
