import type { JsonObject } from '@troupe/schema'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { choicesOf, itemChoicesOf } from '../src/form/choices.ts'
import { ValueField } from '../src/form/value-field.tsx'
import { valueProblems } from '../src/form/value-problems.ts'

const ROOMS = [
  { const: 'std', title: 'Standard room' },
  { const: 'sea', title: 'Sea view' },
]
const CHOICES = [
  { value: 'std', title: 'Standard room' },
  { value: 'sea', title: 'Sea view' },
]

function markup(schema: JsonObject, value: unknown): string {
  return renderToStaticMarkup(
    createElement(ValueField, {
      label: 'room',
      schema,
      value: value as never,
      isRequired: true,
      onChange: () => undefined,
      problemAt: () => undefined,
      path: '/room',
    }),
  )
}

describe('choices of a schema', () => {
  it('constants with titles, and allowed values with names, are choices with titles', () => {
    expect(choicesOf({ type: 'string', oneOf: ROOMS })).toEqual(CHOICES)
    expect(choicesOf({ anyOf: ROOMS })).toEqual(CHOICES)
    expect(
      choicesOf({ type: 'string', enum: ['std', 'sea'], enumNames: ['Standard room', 'Sea view'] }),
    ).toEqual(CHOICES)
  })

  it('a choice without a title is shown by its value', () => {
    expect(choicesOf({ enum: ['a', 7, null], enumNames: ['', 5] })).toEqual([
      { value: 'a', title: 'a' },
      { value: 7, title: '7' },
      { value: null, title: 'null' },
    ])
    expect(choicesOf({ type: 'boolean' })?.map(({ title }) => title)).toEqual(['true', 'false'])
  })

  it('a schema that allows other values, or too many, has no choices', () => {
    expect(choicesOf({ oneOf: [...ROOMS, { type: 'string' }] })).toBeUndefined()
    expect(choicesOf({ oneOf: [] })).toBeUndefined()
    expect(choicesOf({ enum: Array.from({ length: 501 }, (_, index) => index) })).toBeUndefined()
    expect(choicesOf({ type: 'string' })).toBeUndefined()
  })

  it('the choices of a list are those of its items', () => {
    expect(itemChoicesOf({ type: 'array', items: { anyOf: ROOMS } })).toEqual(CHOICES)
    expect(itemChoicesOf({ type: 'array', items: { type: 'string', enum: ['std'] } })).toHaveLength(1)
    expect(itemChoicesOf({ type: 'array', items: { type: 'string' } })).toBeUndefined()
    expect(itemChoicesOf({ type: 'array', items: { type: 'boolean' } })).toBeUndefined()
  })
})

describe('field with choices', () => {
  it('one choice is a select, with the title of its default', () => {
    const html = markup({ type: 'string', oneOf: ROOMS, default: 'sea' }, undefined)
    expect(html.match(/<option[^>]*>[^<]*/gu)).toEqual([
      '<option value="" selected="">default: Sea view',
      '<option value="&quot;std&quot;">Standard room',
      '<option value="&quot;sea&quot;">Sea view',
    ])
  })

  it('several choices are checkboxes, checked if the value has them', () => {
    const html = markup({ type: 'array', items: { type: 'string', oneOf: ROOMS } }, ['sea'])
    expect(html.match(/type="checkbox"[^>]*/gu)?.map((box) => box.includes('checked'))).toEqual([false, true])
    expect(html).toContain('Standard room')
  })

  it('a value that is not a choice is a problem, in a list too', () => {
    expect(valueProblems({ type: 'string', oneOf: ROOMS }, 'attic')).toEqual([
      { path: '', message: 'One of Standard room, Sea view.' },
    ])
    expect(valueProblems({ type: 'array', items: { anyOf: ROOMS } }, ['std', 'attic'])).toMatchObject([
      { path: '/1' },
    ])
    expect(valueProblems({ type: 'string', oneOf: ROOMS }, 'std')).toEqual([])
  })
})
