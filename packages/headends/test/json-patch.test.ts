import type { Json } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import { applyPatch, type PatchOperation } from '../src/agui/json-patch.ts'

const DOCUMENT = { name: 'Plan', items: ['a', 'b'], 'a/b': { '~': 1 } }

describe('JSON Patch', () => {
  it.each<readonly [string, PatchOperation, Json]>([
    ['adds a property', { op: 'add', path: '/day', value: 1 }, { ...DOCUMENT, day: 1 }],
    ['replaces a property', { op: 'replace', path: '/name', value: null }, { ...DOCUMENT, name: null }],
    ['removes a property', { op: 'remove', path: '/a~1b' }, { name: 'Plan', items: ['a', 'b'] }],
    ['reads escaped keys', { op: 'add', path: '/a~1b/~0', value: 2 }, { ...DOCUMENT, 'a/b': { '~': 2 } }],
    ['inserts', { op: 'add', path: '/items/1', value: 'x' }, { ...DOCUMENT, items: ['a', 'x', 'b'] }],
    ['appends', { op: 'add', path: '/items/-', value: 'c' }, { ...DOCUMENT, items: ['a', 'b', 'c'] }],
    [
      'replaces an element',
      { op: 'replace', path: '/items/0', value: 'x' },
      { ...DOCUMENT, items: ['x', 'b'] },
    ],
    ['removes an element', { op: 'remove', path: '/items/0' }, { ...DOCUMENT, items: ['b'] }],
  ])('an operation %s and leaves the original document unchanged', (_, operation, value) => {
    const before = structuredClone(DOCUMENT)
    expect(applyPatch(DOCUMENT, [operation])).toEqual({ value })
    expect(DOCUMENT).toEqual(before)
  })

  it.each<readonly [string, PatchOperation]>([
    ['the whole document', { op: 'replace', path: '', value: 1 }],
    ['a missing property', { op: 'replace', path: '/day', value: 1 }],
    ['a removed property that is missing', { op: 'remove', path: '/day' }],
    ['an inherited property', { op: 'remove', path: '/toString' }],
    ['a property of an inherited one', { op: 'add', path: '/constructor/x', value: 1 }],
    ['a prototype', { op: 'add', path: '/__proto__/x', value: 1 }],
    ['a missing parent', { op: 'add', path: '/day/hour', value: 1 }],
    ['a property of a text', { op: 'add', path: '/name/x', value: 1 }],
    ['an element after the end', { op: 'add', path: '/items/3', value: 1 }],
    ['an element at the end, to replace it', { op: 'replace', path: '/items/-', value: 1 }],
    ['an element by name', { op: 'add', path: '/items/x', value: 1 }],
    ['an element with a leading zero', { op: 'remove', path: '/items/01' }],
  ])('an operation on %s fails', (_, operation) => {
    expect(applyPatch(DOCUMENT, [{ op: 'remove', path: '/name' }, operation])).toEqual({
      problem: expect.stringContaining(operation.path) as unknown,
    })
    expect(DOCUMENT.name).toBe('Plan')
  })
})
