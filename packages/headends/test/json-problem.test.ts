import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonProblem } from '../src/request/read-json.ts'

/** Generates JSON without `__proto__`, which no object is read with. */
const json = (maxDepth: number): fc.Arbitrary<string> =>
  fc.json({ maxDepth }).filter((text) => !text.includes('__proto__'))
const keys = fc.string().filter((key) => key !== '__proto__')

describe('jsonProblem', () => {
  it('JSON without duplicate keys has no problem', () => {
    fc.assert(
      fc.property(json(10), (text) => {
        expect(jsonProblem(text)).toBeUndefined()
      }),
    )
  })

  it('JSON with a duplicate key has a problem, wherever it is and however it is escaped', () => {
    fc.assert(
      fc.property(keys, json(5), json(5), (key, a, b) => {
        const quoted = JSON.stringify(key)
        const escaped = `"${Array.from({ length: key.length }, (_, at) => `\\u${key.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`
        const twice = `[${a}, {${quoted}: ${a}, "${key.length}x-other": ${b}, ${escaped} : ${b}}]`
        expect(jsonProblem(twice)).toMatch(/twice/u)
      }),
    )
  })

  it('JSON with the key __proto__ has a problem, but not with that word elsewhere', () => {
    expect(jsonProblem('{"a": [{"__proto__": 1}]}')).toMatch(/__proto__/u)
    expect(jsonProblem('{"a": [{"\\u005f_proto__": 1}]}')).toMatch(/__proto__/u)
    expect(jsonProblem('{"a": ["__proto__", "\\"__proto__\\": 1"]}')).toBeUndefined()
  })

  it.each([
    [64, undefined],
    [65, 'it is nested more than 64 levels deep'],
  ])('JSON can be nested 64 levels deep, and %i levels are checked', (depth, problem) => {
    expect(jsonProblem('['.repeat(depth) + ']'.repeat(depth))).toBe(problem)
    expect(jsonProblem('{"a":'.repeat(depth) + '1' + '}'.repeat(depth))).toBe(problem)
  })

  it('the check of invalid JSON terminates', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', 'a') }),
        (text) => {
          expect(() => jsonProblem(text)).not.toThrowError()
        },
      ),
    )
  })
})
