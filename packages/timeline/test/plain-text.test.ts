import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainText } from '../src/index.ts'

describe('plainText', () => {
  it.each([
    ['colours', '\u001B[1;31mred\u001B[0m', 'red'],
    ['a cleared screen', 'a\u001B[2J\u001B[Hb', 'ab'],
    ['a window title', 'a\u001B]0;title\u0007b', 'ab'],
    ['a link', '\u001B]8;;https://example.org\u001B\\text\u001B]8;;\u001B\\', 'text'],
    ['one-byte sequences', 'a\u009B31mb\u009Dtitle\u009Cc', 'abc'],
    ['an unfinished sequence', 'a\u001B]0;rest', 'a0;rest'],
    ['a carriage return', 'harmless\rrm -rf', 'harmless rm -rf'],
    ['backspaces and bells', 'a\b\u0007\u0000b', 'ab'],
    ['overrides', 'a\u202Eb\u2066c\u200Fd', 'abcd'],
    ['half a character', 'a\uD800b', 'a\uFFFDb'],
  ])('plainText removes %s', (_, text, clean) => {
    expect(plainText(text)).toBe(clean)
  })

  it('plainText keeps lines and tabs if requested', () => {
    expect(plainText('a\r\n\tb\u2028c\u001B[1m', { lines: true })).toBe('a\n\tb\nc')
    expect(plainText('a\r\n\tb')).toBe('a b')
  })

  it('plainText truncates at a whole character and marks it', () => {
    expect(plainText('🙂🙂🙂🙂', { max: 3 })).toBe('🙂🙂…')
    expect(plainText('🙂🙂🙂', { max: 3 })).toBe('🙂🙂🙂')
    expect(plainText(`${'\u001B[0m'.repeat(1000)}hidden`, { max: 10 })).toBe('…')
  })

  it('plainText returns only printable text for any input', () => {
    const nasty = fc.array(
      fc.oneof(
        fc.constantFrom(
          '\u001B',
          '[',
          ']',
          '\u009B',
          '\u009D',
          '\u0007',
          '\\',
          '\u202E',
          ';',
          'm',
          '\n',
          '\uD83D',
        ),
        fc.string({ unit: 'binary', maxLength: 3 }),
      ),
      { maxLength: 60 },
    )
    fc.assert(
      fc.property(nasty, (pieces) => {
        const clean = plainText(pieces.join(''), { max: 50 })
        expect(clean).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029\u202A-\u202E\u2066-\u2069\u200E\u200F\u061C]/u)
        expect(Array.from(clean).length).toBeLessThanOrEqual(50)
        expect(plainText(clean)).toBe(clean)
      }),
    )
  })

  it('plainText takes linear time', () => {
    const hostile = ['\u009D', '\u001B]', '\u001B[', '\u001B[0;', '\u001B '].map((piece) =>
      piece.repeat(200_000),
    )
    expect(hostile.map((text) => plainText(text).length)).toHaveLength(5)
  })
})
