import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRedactor } from '../src/index.ts'

const redact = (text: string, ...values: readonly string[]): string | undefined =>
  createRedactor(values.map((value, index) => ({ name: `S${index}`, value })))?.redact(text)

const base64 = (text: string): string => Buffer.from(text).toString('base64')

describe('createRedactor', () => {
  it('the redactor replaces secret values by their names at any position', () => {
    expect(redact('key sk-12345678, again sk-12345678.', 'sk-12345678')).toBe(
      'key [redacted:S0], again [redacted:S0].',
    )
  })

  it('the redactor does nothing without secrets and ignores short values', () => {
    expect(createRedactor([])).toBeUndefined()
    expect(createRedactor([{ name: 'PIN', value: '1234567' }])).toBeUndefined()
    expect(redact('1234567 12345678', '1234567', '12345678')).toBe('1234567 [redacted:S1]')
  })

  it('the redactor prefers the longest of two secrets that start at the same position', () => {
    expect(redact('sk-12345678-long', 'sk-12345678', 'sk-12345678-long')).toBe('[redacted:S1]')
  })

  it('the redactor does not scan its own replacements', () => {
    expect(redact('password password', 'password', '[redacted:S0]', 'redacted:S')).toBe(
      '[redacted:S0] [redacted:S0]',
    )
  })

  it('the redactor finds a value in JSON, in a URL and in a header', () => {
    const secret = 'p"ss/w ö\nrd+1'
    expect(redact(JSON.stringify({ secret }), secret)).toBe('{"secret":"[redacted:S0]"}')
    expect(redact(`?k=${encodeURIComponent(secret)}&`, secret)).toBe('?k=[redacted:S0]&')
    expect(redact('k=two+words+here', 'two words here')).toBe('k=[redacted:S0]')
    expect(redact(`Basic ${base64(secret)}`, secret)).toBe('Basic [redacted:S0]')
  })

  it('the redactor finds a value inside a longer base64 text, at any offset', () => {
    for (const user of ['', 'a', 'ab', 'abc', 'user']) {
      const text = base64(`${user}:hunter2-hunter2:tail`)
      expect(redact(text, 'hunter2-hunter2')).toContain('[redacted:S0]')
      expect(redact(text.replaceAll('=', ''), 'hunter2-hunter2')).toContain('[redacted:S0]')
    }
  })

  it('the redactor finds the beginning of a truncated value', () => {
    expect(redact('key sk-1234567… and sk-1… more', 'sk-12345678')).toBe('key [redacted:S0]… and sk-1… more')
  })

  it('the redactor ignores white space around a value', () => {
    expect(redact('token abcdefgh12', 'abcdefgh12\n')).toBe('token [redacted:S0]')
  })

  it('the redactor leaves no secret value in any text', () => {
    const secret = fc.string({ minLength: 8, maxLength: 20 }).filter((value) => value.trim().length >= 8)
    const safe = (value: string): boolean => !'[redacted:S0][redacted:S0]'.includes(value.trim())
    fc.assert(
      fc.property(secret.filter(safe), fc.array(fc.string()), (value, parts) => {
        const clean = redact(parts.join(value), value) ?? ''
        expect(clean.split('[redacted:S0]').some((part) => part.includes(value.trim()))).toBe(false)
      }),
    )
  })

  it('the redactor does not change other text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(redact(text, 'a value that is not there')).toBe(text)
      }),
    )
  })
})
