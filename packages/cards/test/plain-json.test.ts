import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stripJsonComments } from '../src/file/card-syntax.ts'

describe('JSON with comments', () => {
  it('is JSON once its comments and last commas are blanks', () => {
    const text = '// first\n{"a": [1, 2,], /* "b": 1, */ "url": "https://x//y", "q": "\\"//\\",}",\n}'
    expect(JSON.parse(stripJsonComments(text))).toEqual({ a: [1, 2], url: 'https://x//y', q: '"//",}' })
  })

  it('keeps its length and its lines, so that places in it stay what they are', () => {
    const text = '{\n/* one\ntwo */ "a": 1, // three\n}'
    expect(stripJsonComments(text)).toHaveLength(text.length)
    expect(stripJsonComments(text).split('\n')).toHaveLength(4)
    expect(stripJsonComments(text).indexOf('"a"')).toBe(text.indexOf('"a"'))
  })

  it('means what it meant where there are none', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), (json) => {
        expect(JSON.parse(stripJsonComments(json))).toEqual(JSON.parse(json))
      }),
    )
  })

  it('is left as it is where it breaks off', () => {
    expect(stripJsonComments('{"a')).toBe('{"a')
    expect(stripJsonComments('{/* x')).toBe('{/* x')
  })
})
