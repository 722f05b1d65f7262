import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stripJsonComments } from '../src/file/card-syntax.ts'

describe('JSON with comments', () => {
  it('JSON with comments is valid JSON once its comments and trailing commas are blanked', () => {
    const text = '// first\n{"a": [1, 2,], /* "b": 1, */ "url": "https://x//y", "q": "\\"//\\",}",\n}'
    expect(JSON.parse(stripJsonComments(text))).toEqual({ a: [1, 2], url: 'https://x//y', q: '"//",}' })
  })

  it('JSON with comments keeps its length and lines, so that positions stay valid', () => {
    const text = '{\n/* one\ntwo */ "a": 1, // three\n}'
    expect(stripJsonComments(text)).toHaveLength(text.length)
    expect(stripJsonComments(text).split('\n')).toHaveLength(4)
    expect(stripJsonComments(text).indexOf('"a"')).toBe(text.indexOf('"a"'))
  })

  it('JSON without comments keeps its meaning', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), (json) => {
        expect(JSON.parse(stripJsonComments(json))).toEqual(JSON.parse(json))
      }),
    )
  })

  it('truncated JSON with comments is left as it is', () => {
    expect(stripJsonComments('{"a')).toBe('{"a')
    expect(stripJsonComments('{/* x')).toBe('{/* x')
  })
})
