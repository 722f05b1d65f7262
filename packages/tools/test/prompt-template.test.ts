import type { JsonObject } from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  fillPromptTemplate,
  parsePromptTemplate,
  templateProblems,
  type FillMode,
  type PromptSubject,
} from '../src/prompt-template.ts'

const tool = { name: 'book_flight', description: 'Books a flight.' }

function subjectOf(...names: readonly string[]): PromptSubject {
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
  return { tool, parameters: { type: 'object', properties } }
}

function fill(
  text: string,
  args: JsonObject,
  {
    subject = subjectOf(...Object.keys(args)),
    mode = 'run',
  }: { subject?: PromptSubject; mode?: FillMode } = {},
): string {
  return fillPromptTemplate(parsePromptTemplate(text), { subject, args, mode })
}

describe('a prompt template', () => {
  it(`a prompt template is filled with the arguments of a call and the name of the tool ${verifies('D7', 'D8', 'D9', 'R15')}`, () => {
    const text = '{name}: to {destination} on {departure_date}'
    expect(fill(text, { destination: 'Paris', departure_date: '2026-12-01' })).toBe(
      'book_flight: to Paris on 2026-12-01',
    )
  })

  it.each<[string, string, JsonObject, string]>([
    ['a parameter called name hides the name of the tool', '{name}', { name: 'Ada' }, 'Ada'],
    [
      'the tool and the parameters have names of their own',
      '{tool.name} {params.name}',
      { name: 'Ada' },
      'book_flight Ada',
    ],
    ['a parameter called tool hides nothing', '{tool} {tool.name}', { tool: 'saw' }, 'saw book_flight'],
    ['a parameter called params hides nothing', '{params} {params.params}', { params: 'p' }, 'p p'],
    ['the description is there', '{description}', {}, 'Books a flight.'],
    ['values are not read again', '{a} {b}', { a: '{b}', b: '{a}' }, '{b} {a}'],
    ['patterns of a replacement are text', '{a}', { a: "$& $1 $` $' $$" }, "$& $1 $` $' $$"],
    [
      'names of prototypes are names',
      '{constructor} {__proto__} {toString}',
      {},
      '{constructor} {__proto__} {toString}',
    ],
    ['a parameter may be called constructor', '{constructor}', { constructor: 'x' }, 'x'],
    ['a key is no pattern', '{a}{aa}', { 'a.*': 'x', a: '1', aa: '2' }, '12'],
    ['objects and lists are JSON', '{o} {l}', { o: { a: [1, null] }, l: ['x', 2] }, '{"a":[1,null]} ["x",2]'],
    ['numbers and truth values are words', '{n} {t} {z}', { n: 1.5, t: false, z: 0 }, '1.5 false 0'],
    ['a path leads into a value', '{o.a.b} {l.1}', { o: { a: { b: 'deep' } }, l: ['x', 'y'] }, 'deep y'],
    ['a path leads to own members only', '[{o.length}{l.length}{o.constructor}]', { o: {}, l: [1] }, '[]'],
    ['two braces are one', '{{a}} {{{a}}} {{', { a: 'x' }, '{a} {x} {'],
    [
      'JSON may stand in it',
      '{"a": {"b": "{a}"}} {"x":{"y":{}}}',
      { a: 'v' },
      '{"a": {"b": "v"}} {"x":{"y":{}}}',
    ],
    ['other braces are braces', '{ a } {} {1} {a b} {a.} }', { a: 'x' }, '{ a } {} {1} {a b} {a.} }'],
    [
      'names may have letters of all languages and hyphens',
      '{größe} {first-name} {名前}',
      { größe: 'L', 'first-name': 'A', 名前: 'B' },
      'L A B',
    ],
    ['lines end as they end', 'a\r\n{a}\r\n', { a: 'x\r\ny' }, 'a\r\nx\r\ny\r\n'],
    ['null is a value', '{a}', { a: null }, 'null'],
  ])('%s', (_rule, text, args, expected) => {
    const subject: PromptSubject = {
      tool,
      parameters: {
        type: 'object',
        properties: Object.fromEntries(Object.keys(args).map((name) => [name, {}])),
      },
    }
    expect(fill(text, args, { subject })).toBe(expected)
  })

  it(`a prompt template applies defaults first; a missing value is empty in a run and stays in a preview ${verifies('R15', 'D46')}`, () => {
    const parameters = {
      type: 'object',
      properties: {
        seat: { type: 'string', default: 'aisle' },
        meal: { type: 'string' },
        to: { type: 'object', properties: { city: { type: 'string', default: 'Rome' } } },
      },
    }
    const subject = { tool, parameters }
    const text = '{seat}, {meal}, {to.city}'
    expect(fill(text, { to: {} }, { subject })).toBe('aisle, , Rome')
    expect(fill(text, { to: {} }, { subject, mode: 'preview' })).toBe('aisle, {meal}, Rome')
    expect(fill(text, { seat: '', meal: 'none' }, { subject, mode: 'preview' })).toBe(
      '{seat}, none, {to.city}',
    )
  })

  it('a prompt template accepts a value of one megabyte', () => {
    const long = '{a}$&'.repeat(200_000)
    expect(fill('<{a}>', { a: long })).toBe(`<${long}>`)
  })

  it('templateProblems lists unknown placeholders with their positions and the known names', () => {
    const subject: PromptSubject = {
      tool,
      parameters: {
        type: 'object',
        properties: {
          city: { type: 'string' },
          trip: { type: 'object', properties: { to: { type: 'string' } } },
          any: { type: 'object' },
          list: { type: 'array', items: { type: 'object', properties: { x: {} } } },
        },
      },
    }
    const text =
      '{city} {town} {trip.to} {trip.from} {any.thing} {list.0.x} {list.0.y} {tool.nmae} {params.town} {city.x}'
    const known = ['city', 'trip', 'any', 'list', 'tool.name', 'tool.description']
    expect(templateProblems(parsePromptTemplate(text), subject)).toEqual(
      ['{town}', '{trip.from}', '{list.0.y}', '{tool.nmae}', '{params.town}', '{city.x}'].map(
        (placeholder) => {
          const start = text.indexOf(placeholder)
          return { placeholder, start, end: start + placeholder.length, known }
        },
      ),
    )
  })
})

describe('any prompt template', () => {
  const piece = fc.oneof(
    fc.constantFrom('{', '}', '{{', '}}', '{a}', '{b.c}', '{params.a}', '{tool.name}', '$&', '"', '\r\n'),
    fc.string({ maxLength: 8 }),
  )
  const template = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(''))
  const args = fc.record({ a: fc.string(), b: fc.record({ c: template }) })
  const subject: PromptSubject = {
    tool,
    parameters: {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'object', properties: { c: { type: 'string' } } } },
    },
  }

  it('any prompt template is parsed into parts without gaps', () => {
    fc.assert(
      fc.property(template, (text) => {
        const parts = parsePromptTemplate(text)
        const ends = parts.map(({ end }) => end)
        expect(parts.map(({ start }) => start)).toEqual(text === '' ? [] : [0, ...ends.slice(0, -1)])
        expect(ends.at(-1) ?? 0).toBe(text.length)
      }),
    )
  })

  it('any prompt template is filled in one pass: its own text in order, and values inserted without scanning', () => {
    fc.assert(
      fc.property(template, args, (text, values) => {
        const parts = parsePromptTemplate(text)
        const expected = parts.map((part) => {
          if (part.kind === 'text') return part.text
          const path = part.path.join('.')
          if (path === 'a' || path === 'params.a') return values.a
          return path === 'b.c' ? values.b.c : path === 'tool.name' ? tool.name : undefined
        })
        if (expected.includes(undefined)) return
        expect(fillPromptTemplate(parts, { subject, args: values, mode: 'run' })).toBe(expected.join(''))
      }),
    )
  })

  it('the preview of any prompt template equals the run if all values are given', () => {
    const full = fc.record({
      a: fc.string({ minLength: 1 }),
      b: fc.record({ c: fc.string({ minLength: 1 }) }),
    })
    fc.assert(
      fc.property(template, full, (text, values) => {
        const parts = parsePromptTemplate(text)
        const call = { subject, args: values }
        expect(fillPromptTemplate(parts, { ...call, mode: 'preview' })).toBe(
          fillPromptTemplate(parts, { ...call, mode: 'run' }),
        )
      }),
    )
  })
})
