import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseCsv, sortRows } from '../src/content/parse-csv.ts'
import { contentText, decodeBase64, viewerOf } from '../src/content/viewer-of.ts'
import { readCodeInfo } from '../src/ui/code/code-info.ts'

const quote = (field: string): string => `"${field.replaceAll('"', '""')}"`

describe('viewers of results', () => {
  it('any table survives being written as CSV and read again', () => {
    const field = fc.string({ unit: fc.constantFrom('a', '1', '"', ',', ';', '\n', '\r', ' ', 'é') })
    const table = fc.array(fc.array(field, { minLength: 2, maxLength: 2 }), { minLength: 2, maxLength: 5 })
    fc.assert(
      fc.property(table, fc.constantFrom('\n', '\r\n'), (rows, lineEnd) => {
        const text = rows.map((row) => row.map(quote).join(',')).join(lineEnd)
        expect(parseCsv(text, ',')).toEqual({ header: rows[0], rows: rows.slice(1) })
      }),
    )
  })

  it('the delimiter of a table is found, and an unfinished quote does not hang', () => {
    expect(parseCsv('\u{FEFF}a;b\n1;2,5\n')).toEqual({ header: ['a', 'b'], rows: [['1', '2,5']] })
    expect(parseCsv('a,b\n"1,2')).toEqual({ header: ['a', 'b'], rows: [['1,2']] })
    expect(parseCsv('a,b\n1,')?.rows).toEqual([['1', '']])
    expect(parseCsv('only one line')).toBeUndefined()
  })

  it('columns are sorted as numbers where they are numbers, and empty fields come last', () => {
    const rows = [['10'], ['9'], [''], ['-1.5']]
    expect(sortRows(rows, { column: 0, isDescending: false }).flat()).toEqual(['-1.5', '9', '10', ''])
    expect(sortRows(rows, { column: 0, isDescending: true }).flat()).toEqual(['10', '9', '-1.5', ''])
    expect(sortRows(rows, undefined)).toBe(rows)
  })

  it('the viewer follows from the media type, and for plain text from the file name', () => {
    expect(viewerOf({ type: 'data', base64: '', mediaType: 'IMAGE/PNG; a=b' })).toBe('picture')
    expect(viewerOf({ type: 'data', base64: '', mediaType: 'application/pdf' })).toBe('file')
    expect(viewerOf({ type: 'data', base64: '', mediaType: 'text/html' })).toBe('page')
    expect(viewerOf({ type: 'text', text: '', uri: 'file:///x/a.csv?v=1' })).toBe('table')
    expect(viewerOf({ type: 'text', text: '', mediaType: 'text/plain', uri: 'file:///a.md' })).toBe(
      'markdown',
    )
    expect(viewerOf({ type: 'text', text: '<html>' })).toBe('text')
    expect(contentText({ type: 'data', base64: 'w6k=', mediaType: 'text/plain' })).toBe('é')
    expect(decodeBase64('%')).toBeUndefined()
  })

  it('the label of code is its file name or language', () => {
    const info = (text: string): readonly unknown[] => Object.values(readCodeInfo(text))
    expect(info('ts')).toEqual(['ts', 'ts'])
    expect(info('')).toEqual(['text', undefined])
    expect(info('src/app.PY')).toEqual(['src/app.PY', 'py'])
    expect(info('ts:src/app.ts')).toEqual(['src/app.ts', 'ts'])
    expect(info('js title="a b.ts" {1,2}')).toEqual(['a b.ts', 'js'])
    expect(info('c++')).toEqual(['c++', 'c++'])
  })
})
