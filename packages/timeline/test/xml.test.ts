import { assert, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { xmlElement, xmlSeconds, xmlText } from '../src/index.ts'

describe('XML', () => {
  it('xmlElement escapes attributes, leaves out undefined ones, and closes an element without children', () => {
    expect(xmlElement('a', { b: '<"&">', c: undefined, d: 1 })).toBe(
      '<a b="&lt;&quot;&amp;&quot;&gt;" d="1"/>',
    )
    expect(xmlElement('a', {}, [xmlText('1 < 2'), xmlElement('b', {})])).toBe('<a>1 &lt; 2<b/></a>')
  })

  it('xmlText leaves no character that XML does not allow, whatever the text is', () => {
    assert(
      property(string({ unit: 'binary', maxLength: 40 }), (text) => {
        const escaped = xmlText(`${text}\u0000\u001B[31m\uFFFE]]>`)
        expect(escaped).not.toMatch(/[<>"\uFFFE\uFFFF]|[^\P{Cc}\t\n\r]/u)
        expect(escaped.isWellFormed()).toBe(true)
      }),
    )
  })

  it('xmlSeconds formats milliseconds with three decimals', () => {
    expect(xmlSeconds(1025)).toBe('1.025')
  })
})
