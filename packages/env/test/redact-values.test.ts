import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redactValues } from '../src/index.ts'

const SECRET = 'a"secret\\of\ntwo lines'
const hide = (text: string): string =>
  text.replaceAll(SECRET, '[redacted]').replaceAll('plain-secret', '[redacted]')

describe('redaction of a value', () => {
  it('redaction returns the same object if it contains no secret', () => {
    const value = { list: ['a', { b: null }], number: 1, text: 'C:\\folder' }
    expect(redactValues(value, hide)).toBe(value)
  })

  it('redaction finds a secret that JSON escapes, in strings and in keys', () => {
    expect(redactValues({ list: [`x ${SECRET}`], [SECRET]: 'plain' }, hide)).toEqual({
      list: ['x [redacted]'],
      '[redacted]': 'plain',
    })
  })

  it('redaction accepts cyclic values and numbers that JSON cannot represent', () => {
    const value: { readonly big: bigint; self?: unknown } = { big: 1n }
    value.self = value
    expect(redactValues(value, hide)).toBe(value)
    expect(redactValues({ big: 1n, text: 'a plain-secret' }, hide)).toEqual({ big: 1n, text: 'a [redacted]' })
  })

  it('redaction traverses lists of any length', () => {
    const list = Array.from({ length: 300_000 }, (_, index) => index)
    expect(redactValues({ list }, hide)).toEqual({ list })
    expect(redactValues({ list: [...list, 'plain-secret'] }, hide).list.at(-1)).toBe('[redacted]')
  })

  it('redaction leaves no secret in any JSON, at any position', () => {
    const withSecret = fc.string().map((text) => `${text}plain-secret${text}${SECRET}`)
    const text = fc.oneof(fc.string(), withSecret)
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof(
        { depthSize: 'small' },
        text,
        fc.integer(),
        fc.array(tie('json')),
        fc.dictionary(text, tie('json')),
      ),
    }))
    fc.assert(
      fc.property(json, (value) => {
        const shown = redactValues(value, hide)
        for (const each of textsIn(shown)) expect(hide(each)).toBe(each)
      }),
    )
  })
})

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => [key, ...textsIn(member)])
}
