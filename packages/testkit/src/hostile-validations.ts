import type { Json, JsonObject } from '@troupe/schema'

/**
 * A schema and a value whose validation costs far more than their sizes suggest. Both fit into a request of 1
 * MiB.
 */
export interface HostileValidation {
  readonly name: string
  /** Creates new copies of schema and value. */
  make(): { readonly schema: JsonObject; readonly value: Json }
}

const MANY = 900
const TEXT = { type: 'string' }

/** Schemas and values that made a validator slow or use much memory. */
export const HOSTILE_VALIDATIONS: readonly HostileValidation[] = [
  hostile('300 patterns of properties on 20,000 keys', () => ({
    schema: { patternProperties: object(300, (at) => [`^zz${at}x`, TEXT]) },
    value: keys(20_000),
  })),
  hostile('700 patterns of properties on 55,000 keys', () => ({
    schema: { patternProperties: object(700, (at) => [`^zz${at}x`, TEXT]) },
    value: keys(55_000),
  })),
  hostile('900 patterns of properties on 60,000 keys', () => ({
    schema: { patternProperties: object(MANY, (at) => [`^zz${at}x`, TEXT]) },
    value: keys(60_000),
  })),
  hostile('500 patterns of names on 60,000 keys', () => ({
    schema: { propertyNames: { allOf: list(500, (at) => ({ pattern: `^[^z]+${at}?` })) } },
    value: keys(60_000),
  })),
  hostile('patterns on one long text', () => ({
    schema: { allOf: list(300, (at) => ({ pattern: `(a|b${at})*c` })) },
    value: 'a'.repeat(900_000),
  })),
  hostile('a large pattern on many texts', () => ({
    schema: { items: { pattern: '[ab]*a[ab]{400}[cd]' } },
    value: list(900, () => 'ab'.repeat(500)),
  })),
  hostile('patterns of Unicode classes', () => ({
    schema: { allOf: list(200, (at) => ({ pattern: `${at}(?i:${String.raw`\p{L}`.repeat(90)})` })) },
    value: 'é'.repeat(100_000),
  })),
  hostile('patterns that cannot be parsed', () => ({
    schema: { allOf: list(MANY, (at) => ({ pattern: `${at}(${'a'.repeat(500)}` })) },
    value: 'a',
  })),
  hostile('900 conditions on each of 400,000 items', () => ({
    schema: { items: { allOf: list(MANY, (at) => ({ type: 'number', minimum: -at })) } },
    value: list(400_000, () => 1),
  })),
  hostile('900 alternatives for each of 100,000 items', () => ({
    schema: { items: { anyOf: list(MANY, (at) => ({ const: `x${at}` })) } },
    value: list(100_000, () => 'y'),
  })),
  hostile('300 exclusive alternatives for each of 70,000 objects', () => ({
    schema: {
      items: {
        oneOf: list(300, (at) => ({ type: 'object', required: ['a', `b${at}`], properties: { a: TEXT } })),
      },
    },
    value: list(70_000, () => ({ a: 'x' })),
  })),
  hostile('nested alternatives', () => ({ schema: choices(9), value: nested(9) })),
  hostile('45,000 unique objects', () => ({
    schema: { uniqueItems: true },
    value: list(45_000, (at) => ({ a: at, b: 1 })),
  })),
  hostile('unique lists checked 300 times', () => ({
    schema: { allOf: list(300, () => ({ uniqueItems: true, items: { uniqueItems: true } })) },
    value: list(30_000, (at) => [at, { b: 'x' }]),
  })),
  hostile('values compared with 4,000 similar objects', () => ({
    schema: { items: { enum: list(4000, (at) => ({ a: [1, 2, 3, { b: at }] })) } },
    value: list(20_000, () => ({ a: [1, 2, 3, { b: 'x' }] })),
  })),
  hostile('an enumeration of 60,000 texts', () => ({
    schema: { items: { enum: list(60_000, (at) => `v${at}`) } },
    value: list(60_000, () => 'v5x'),
  })),
  hostile('long texts compared with a long text', () => ({
    schema: { allOf: list(MANY, () => ({ const: null })), anyOf: [{ const: 'x'.repeat(400_000) }] },
    value: `${'x'.repeat(399_999)}y`,
  })),
  hostile('references that double at every step', () => ({
    schema: {
      $ref: '#/$defs/s0',
      $defs: object(40, (at) => [
        `s${at}`,
        at === 39 ? TEXT : { anyOf: list(2, () => ({ $ref: `#/$defs/s${at + 1}` })) },
      ]),
    },
    value: 1,
  })),
  hostile('one definition under 400 spellings', () => ({
    schema: {
      allOf: list(400, (at) => ({ $ref: `#/$defs/${spelled(at)}` })),
      $defs: { aaaaaaaaaa: { required: list(60_000, () => 'a'), enum: list(1000, (at) => at) } },
    },
    value: {},
  })),
  hostile('dynamic references through 300 resources', () => ({
    schema: {
      $dynamicAnchor: 'a',
      properties: { a: { $dynamicRef: '#a' } },
      $defs: object(300, (at) => [
        `d${at}`,
        {
          $id: `r${at}`,
          $dynamicAnchor: 'a',
          anyOf: [{ $ref: `r${(at + 1) % 300}` }, { $dynamicRef: '#a' }],
        },
      ]),
      $ref: 'r0',
    },
    value: nested(50, 'a'),
  })),
  hostile('addresses resolved against a long address', () => ({
    schema: {
      $id: `https://example.com/${'a/'.repeat(200_000)}`,
      allOf: list(500, (at) => ({ $id: `r${at}`, $ref: '#' })),
    },
    value: {},
  })),
  hostile('characters of a long text counted 900 times', () => ({
    schema: { allOf: list(MANY, (at) => ({ minLength: 100_000 + at })) },
    value: '\u{1F600}'.repeat(150_000),
  })),
  hostile('80,000 additional properties', () => ({
    schema: {
      properties: object(MANY, (at) => [`p${at}`, {}]),
      additionalProperties: false,
      minProperties: 1,
    },
    value: keys(80_000),
  })),
  hostile('800 dependent schemas on 60,000 keys', () => ({
    schema: { dependentSchemas: object(800, (at) => [`k${at}`, { minProperties: 1, maxProperties: 9 }]) },
    value: keys(60_000),
  })),
  hostile('90,000 required names for each of 10,000 objects', () => ({
    schema: { items: { required: list(90_000, (at) => `${at}`) } },
    value: list(10_000, () => ({})),
  })),
  hostile('unevaluated properties behind 300 alternatives', () => ({
    schema: {
      anyOf: list(300, (at) => ({ properties: { [`k${at}`]: {} }, additionalProperties: true })),
      unevaluatedProperties: false,
    },
    value: keys(60_000),
  })),
  hostile('200 searches in 300,000 items', () => ({
    schema: {
      allOf: list(200, () => ({ contains: { type: 'number' }, minContains: 2 })),
      unevaluatedItems: false,
    },
    value: list(300_000, () => -1),
  })),
  hostile('a large default for each of 100,000 objects', () => ({
    schema: { items: { properties: { a: { default: list(50_000, () => 1) } } } },
    value: list(100_000, () => ({})),
  })),
  hostile('900 defaults for each of 100,000 objects', () => ({
    schema: { items: { properties: object(MANY, (at) => [`p${at}`, { default: 'x' }]) } },
    value: list(100_000, () => ({})),
  })),
  hostile('a failure for each of 80,000 keys', () => ({
    schema: { additionalProperties: { not: {} } },
    value: keys(80_000),
  })),
  hostile('failures below long names', () => ({
    schema: { additionalProperties: { allOf: list(MANY, () => false) } },
    value: object(8, (at) => ['k'.repeat(90_000) + String(at), 1]),
  })),
  hostile('a long property name above 500 schemas', () => ({
    schema: { properties: { ['p'.repeat(400_000)]: { allOf: list(500, () => ({ contains: {} })) } } },
    value: {},
  })),
  hostile('numbers of 300 digits', () => ({
    schema: { items: { allOf: list(500, () => ({ multipleOf: 1e-300 })) } },
    value: list(100_000, () => 1.5e300),
  })),
]

function hostile(name: string, make: HostileValidation['make']): HostileValidation {
  return { name, make }
}

function list<T>(length: number, make: (at: number) => T): T[] {
  return Array.from({ length }, (_, at) => make(at))
}

function object<T>(length: number, make: (at: number) => readonly [string, T]): Record<string, T> {
  return Object.fromEntries(list(length, make))
}

function keys(length: number): JsonObject {
  return object(length, (at) => [`k${at}`, 1])
}

/** Returns ten letters `a`, some of them percent-encoded. */
function spelled(at: number): string {
  return list(10, (bit) => ((at >> bit) % 2 === 1 ? '%61' : 'a')).join('')
}

function choices(levels: number): JsonObject {
  let schema: JsonObject = TEXT
  for (let level = 0; level < levels; level += 1) {
    const down = { properties: { down: schema }, required: ['down'] }
    schema = { anyOf: [down, down] }
  }
  return schema
}

function nested(levels: number, name = 'down'): Json {
  let value: Json = 1
  for (let level = 0; level < levels; level += 1) value = { [name]: value }
  return value
}
