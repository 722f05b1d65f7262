import type { Json } from '@troupe/schema'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { differenceText, firstDifference, parseRunPath, childRunPath } from '../src/index.ts'

describe('firstDifference', () => {
  it('firstDifference is undefined for equal values and defined for all others', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const [before, after] = [one, other].map((value) => JSON.parse(JSON.stringify(value)) as Json)
        const isSame = firstDifference(before, after) === undefined
        let isEqual = true
        try {
          expect(after).toStrictEqual(before)
        } catch {
          isEqual = false
        }
        expect(isSame).toBe(isEqual)
        expect(firstDifference(before, before)).toBeUndefined()
      }),
    )
  })

  it('firstDifference names the path and shows long texts from where they differ', () => {
    const found = firstDifference(
      { messages: [{ content: `${'a'.repeat(500)}old` }] },
      { messages: [{ content: `${'a'.repeat(500)}new` }] },
    )
    expect(found?.path).toBe('messages[0].content')
    const text = found === undefined ? '' : differenceText(found, 'turn 1')
    expect(text).toBe(
      `turn 1, messages[0].content: recorded …"${'a'.repeat(40)}old", now …"${'a'.repeat(40)}new"`,
    )
  })

  it('firstDifference says where something is missing', () => {
    const found = firstDifference({ a: 1, b: [1] }, { a: 1, b: [1, 2] })
    expect(found && differenceText(found, 'x')).toBe('x, b[1]: recorded nothing, now 2')
  })
})

describe('run paths', () => {
  it('a run path is parsed into the parts it was built from', () => {
    const root = childRunPath('/', { callId: '1.2', attempt: 1 })
    const below = childRunPath(root, { callId: '3.4', attempt: 2 })
    expect([root, below]).toEqual(['/1.2', '/1.2/3.4#2'])
    expect(parseRunPath(root)).toEqual({ parent: '/', turn: 1, ordinal: 2, attempt: 1 })
    expect(parseRunPath(below)).toEqual({ parent: '/1.2', turn: 3, ordinal: 4, attempt: 2 })
    expect(parseRunPath('/')).toBeUndefined()
  })
})
