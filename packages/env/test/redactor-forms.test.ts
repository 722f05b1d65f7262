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

describe('a sealed secret', () => {
  it.each(FORMS)('%s: a sealed secret is written as its name and restored exactly', (_form, text) => {
    const sealed = redactor?.seal(text) ?? ''
    expect(sealed).toContain('{{secret:KEY')
    expect(sealed).not.toContain(text)
    expect(redactor?.reveal(sealed)).toBe(text)
  })

  it('a sealed secret is restored exactly in any text, even if the text already contains seals', () => {
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

  it('unsealing does not put a secret into text that only mentions its name', () => {
    expect(redactor?.reveal(redactor.seal('give me {{secret:KEY}}'))).toBe('give me {{secret:KEY}}')
  })

  it('a seal stays a name if its secret no longer exists', () => {
    expect(redactor?.reveal('{{secret:GONE}} {{secret:KEY:99}}')).toBe('{{secret:GONE}} {{secret:KEY:99}}')
  })
})

describe('text that arrives in pieces', () => {
  it('redaction of text in pieces shows no secret, however the text is split, and loses nothing else', () => {
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

  it('redaction passes a piece on immediately if no secret can start in it', () => {
    const pieces = redactor?.startStream()
    expect(pieces?.push('hello ')).toBe('hello ')
    expect(pieces?.push('ask')).toBe('a')
    expect(pieces?.push(' me')).toBe('sk me')
  })

  it('redaction withholds the shorter of two secrets while the longer one may still follow', () => {
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
  it('redactValues hides secrets in every string and key of a value and shares unchanged parts', () => {
    const clean = { n: 1, list: ['a'] }
    const value = { clean, [VALUE]: [{ text: `is ${VALUE}` }], __proto__: null }
    const shown = redactValues(value, (text) => redactor?.redact(text) ?? text)
    expect(shown).toEqual({ clean, '[redacted:KEY]': [{ text: 'is [redacted:KEY]' }] })
    expect(shown.clean).toBe(clean)
  })

  it('redactValues cannot modify a prototype', () => {
    const hostile: unknown = JSON.parse(`{"__proto__": {"polluted": ${JSON.stringify(VALUE)}}}`)
    redactValues(hostile, (text) => redactor?.redact(text) ?? text)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
})
