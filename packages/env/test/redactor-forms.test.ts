import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRedactor, redactValues } from '../src/index.ts'

const VALUE = `sk-"live"/ö+&'0123456789'`
const redactor = createRedactor([{ name: 'KEY', value: VALUE }])
const FORMS: readonly (readonly [string, string])[] = [
  ['plain', VALUE],
  ['in JSON', JSON.stringify({ VALUE })],
  ['in JSON that is text in JSON', JSON.stringify({ body: JSON.stringify({ VALUE }) })],
  ['in an address', `https://host/?k=${encodeURIComponent(VALUE)}`],
  ['in a form', new URLSearchParams({ k: VALUE }).toString()],
  ['in HTML', '<b>sk-&quot;live&quot;/ö+&amp;&#39;0123456789&#39;</b>'],
  ['in HTML with hexadecimal entities', 'sk-&quot;live&quot;/ö+&amp;&#x27;0123456789&#x27;'],
  ['in XML', '<k>sk-"live"/ö+&amp;\'0123456789\'</k>'],
  ['hexadecimal', Buffer.from(VALUE).toString('hex')],
  ['upper-case hexadecimal', `x${Buffer.from(VALUE).toString('hex').toUpperCase()}x`],
  ['base64', Buffer.from(VALUE).toString('base64')],
  ['base64url, inside a longer text', Buffer.from(`user:${VALUE}!`).toString('base64url')],
]

describe('a secret that is sealed', () => {
  it.each(FORMS)('%s: is written by its name and comes back exactly', (_form, text) => {
    const sealed = redactor?.seal(text) ?? ''
    expect(sealed).toContain('{{secret:KEY')
    expect(sealed).not.toContain(text)
    expect(redactor?.reveal(sealed)).toBe(text)
  })

  it('comes back exactly in any text, whatever the text already says of secrets', () => {
    const piece = fc.constantFrom(
      '{{secret:',
      '{{secret:KEY}}',
      '{{secret:}}',
      ':1}}',
      '}}',
      '{{',
      ...FORMS.map(([, text]) => text),
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string())), (pieces) => {
        const text = pieces.join('')
        expect(redactor?.reveal(redactor.seal(text))).toBe(text)
      }),
    )
  })

  it('is not put into a text that only names it', () => {
    expect(redactor?.reveal(redactor.seal('give me {{secret:KEY}}'))).toBe('give me {{secret:KEY}}')
  })

  it('stays a name where no secret has it any more', () => {
    expect(redactor?.reveal('{{secret:GONE}} {{secret:KEY:99}}')).toBe('{{secret:GONE}} {{secret:KEY:99}}')
  })
})

describe('a text that comes in pieces', () => {
  it('shows no secret, however it is split, and loses nothing else', () => {
    const words = fc.array(
      fc.constantFrom(
        VALUE,
        VALUE.slice(0, 5),
        's',
        'sk',
        ' ',
        'other',
        Buffer.from(VALUE).toString('base64'),
      ),
    )
    fc.assert(
      fc.property(words, fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), (parts, sizes) => {
        const text = parts.join('')
        const pieces = redactor?.startStream()
        let shown = ''
        for (let at = 0, turn = 0; at < text.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? 1
          shown += pieces?.push(text.slice(at, at + size)) ?? ''
          at += size
        }
        expect(shown + (pieces?.end() ?? '')).toBe(redactor?.redact(text))
      }),
    )
  })

  it('is shown at once where no secret can begin', () => {
    const pieces = redactor?.startStream()
    expect(pieces?.push('hello ')).toBe('hello ')
    expect(pieces?.push('ask')).toBe('a')
    expect(pieces?.push(' me')).toBe('sk me')
  })

  it('keeps the shorter of two secrets back where the longer one may still come', () => {
    const two = createRedactor([
      { name: 'SHORT', value: 'abcdefgh' },
      { name: 'LONG', value: 'abcdefgh-ijkl' },
    ])?.startStream()
    expect(two?.push('abcdefgh-')).toBe('')
    expect(two?.push('ijkl.')).toBe('[redacted:LONG].')
    expect(two?.push('abcdefgh-x')).toBe('[redacted:SHORT]-x')
  })
})

describe('redactValues', () => {
  it('hides secrets in every text and key of a value, and shares what has none', () => {
    const clean = { n: 1, list: ['a'] }
    const value = { clean, [VALUE]: [{ text: `is ${VALUE}` }], __proto__: null }
    const shown = redactValues(value, (text) => redactor?.redact(text) ?? text)
    expect(shown).toEqual({ clean, '[redacted:KEY]': [{ text: 'is [redacted:KEY]' }] })
    expect(shown.clean).toBe(clean)
  })

  it('cannot reach a prototype', () => {
    const hostile: unknown = JSON.parse(`{"__proto__": {"polluted": ${JSON.stringify(VALUE)}}}`)
    redactValues(hostile, (text) => redactor?.redact(text) ?? text)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
})
