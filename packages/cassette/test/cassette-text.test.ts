import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readCassette, writeCassette, type Cassette } from '../src/index.ts'

const empty: Cassette = { cassette: 1, runId: 'run_1', agent: 'One', input: 'Go.', agents: {}, entries: [] }

describe('a recording file', () => {
  it('a recording is read back exactly as written, whatever its texts contain', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('2026-11-21', 'no', '~', '- a', '# b', 'a\n\n b '),
    )
    const entry = fc.record({
      run: fc.constant('/'),
      event: fc.constant('usage'),
      answer: fc.jsonValue(),
      said: text,
    })
    fc.assert(
      fc.property(text, fc.array(entry), (input, entries) => {
        const cassette = { ...empty, input, entries } as unknown as Cassette
        fc.pre(!JSON.stringify(cassette).includes('{{secret:'))
        const plain = JSON.parse(JSON.stringify(cassette)) as Cassette
        const read = readCassette(writeCassette(cassette), 'a.yaml')
        expect(read).toEqual(plain)
        expect(writeCassette(read)).toBe(writeCassette(cassette))
      }),
    )
  })

  it('a recording writes long texts line by line', () => {
    expect(writeCassette({ ...empty, input: 'one\ntwo' })).toContain('input: |-\n  one\n  two\n')
  })

  it('a recording restores a literal brace that was escaped to distinguish it from a secret', () => {
    const kept = writeCassette({ ...empty, input: 'a {{secret:}}NAME}} and {{secret:KEY}}' })
    expect(readCassette(kept, 'a.yaml').input).toBe('a {{secret:NAME}} and {{secret:KEY}}')
  })

  it.each([
    ['[', 'a.yaml cannot be replayed'],
    ['a: &x 1\nb: *x', 'a.yaml cannot be replayed'],
    ['just text', 'it is not a recording'],
    ['cassette: 7', 'its format version is 7, and this release reads version 1'],
    ['cassette: 1\nrunId: 5', 'runId is not a string'],
    ['cassette: 1\nrunId: r\nagent: a\ninput: i\nagents: []', 'agents is not a mapping'],
    ['cassette: 1\nrunId: r\nagent: a\ninput: i\nagents: {}\nentries: [{ run: 1 }]', 'entries is not a list'],
  ])('a recording is rejected if it contains %j', (text, why) => {
    expect(() => readCassette(text, 'a.yaml')).toThrow(
      expect.objectContaining({ code: 'cassette_invalid', message: expect.stringContaining(why) }),
    )
  })
})
