import { verifies } from '@troupe/testkit/internal'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseEnvFile } from '../src/index.ts'

describe('parseEnvFile', () => {
  it(`parseEnvFile reads blank lines, comments, KEY=VALUE and KEY="VALUE" ${verifies('C42')}`, () => {
    const text = ['', '# a comment', 'CITY=Paris', '  # another', 'NAME="Ann Example"', ''].join('\n')
    expect(parseEnvFile(text, 'troupe.env')).toEqual({
      values: { CITY: 'Paris', NAME: 'Ann Example' },
      problems: [],
    })
  })

  it.each([
    ['export A=1', '1'],
    ['A = spaced out ', 'spaced out'],
    ['A=', ''],
    ['A=""', ''],
    ['A=b=c', 'b=c'],
    ['A=value # comment', 'value'],
    ['A=value#no comment', 'value#no comment'],
    ['A=# comment', ''],
    ['A="quoted # text" # comment', 'quoted # text'],
    ["A='literal \\n $HOME'", 'literal \\n $HOME'],
    ['A="two\\nlines"', 'two\nlines'],
    ['A="tab\\tquote\\"backslash\\\\ other\\d"', 'tab\tquote"backslash\\ other\\d'],
    ['A=${B}', '${B}'],
  ])('parseEnvFile reads %s', (line, value) => {
    expect(parseEnvFile(line, 'troupe.env')).toEqual({ values: { A: value }, problems: [] })
  })

  it('parseEnvFile reads files from other systems', () => {
    expect(parseEnvFile('\uFEFFA=1\r\nB="2"\r\n', 'troupe.env').values).toEqual({ A: '1', B: '2' })
  })

  it('parseEnvFile reports each invalid line with its number and never shows its content', () => {
    const text = 'GOOD=1\nsecret-without-key\n2A=secret\nA="secret\nB="secret" secret\n=secret\nC D=secret'
    const { values, problems } = parseEnvFile(text, '/team/troupe.env')
    expect(values).toEqual({ GOOD: '1' })
    expect(problems.map((problem) => problem.line)).toEqual([2, 3, 4, 5, 6, 7])
    for (const { line, message } of problems) {
      expect(message).toContain(`/team/troupe.env:${line}`)
      expect(message).not.toContain('secret')
    }
  })

  it('parseEnvFile uses the last of two values and reports the duplicate definition', () => {
    const { values, problems } = parseEnvFile('A=1\n\nA=2', 'troupe.env')
    expect(values).toEqual({ A: '2' })
    expect(problems).toEqual([{ line: 3, message: 'troupe.env:3: A is already set on line 1' }])
  })

  it('parseEnvFile stores hostile names as own properties', () => {
    const { values } = parseEnvFile('__proto__=x\nconstructor=y', 'troupe.env')
    expect(Object.keys(values).toSorted()).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(values)).toBe(Object.prototype)
  })

  it('parseEnvFile returns any value that was written in double quotes unchanged', () => {
    const escape = (value: string): string =>
      value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n').replaceAll('\r', '\\r')
    const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/u)
    fc.assert(
      fc.property(fc.dictionary(name, fc.string({ unit: 'binary' }), { maxKeys: 8 }), (values) => {
        const text = Object.entries(values)
          .map(([key, value]) => `${key}="${escape(value)}"`)
          .join('\n')
        const read = parseEnvFile(text, 'troupe.env')
        expect(read.problems).toEqual([])
        expect(Object.entries(read.values)).toEqual(Object.entries(values))
      }),
    )
  })

  it('parseEnvFile never throws and returns a problem or a value for every non-empty line', () => {
    const pieces = fc.constantFrom('A', '=', '"', "'", '#', '\\', ' ', 'export ', '\r\n', '\n', '__proto__')
    fc.assert(
      fc.property(fc.array(fc.oneof(pieces, fc.string()), { maxLength: 40 }), (parts) => {
        const text = parts.join('')
        const { values, problems } = parseEnvFile(text, 'troupe.env')
        const lines = text.split('\n').map((line) => line.trim())
        const said = lines.filter((line) => line !== '' && !line.startsWith('#')).length
        expect(Object.keys(values).length + problems.length).toBeLessThanOrEqual(said)
        expect(Object.keys(values).length + problems.length > 0).toBe(said > 0)
      }),
    )
  })
})
