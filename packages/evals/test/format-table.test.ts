import { stripVTControlCharacters } from 'node:util'
import * as fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { formatTable, type EvalReport } from '../src/index.ts'
import { caseReport, check, comparison, repeat, sampleReport, totals } from './sample-report.ts'

const plain = (report: EvalReport, width = 80): string => formatTable(report, { width, color: false })

describe('the table of a report', () => {
  it('the table lists cases with their rate, cost and time, and the reasons of failures below', () => {
    expect(plain(sampleReport())).toBe(`\
case           passed      rate (95 %)  errors     cost   time
opening-hours     1/1  100 % (20–90 %)       0  $0.0125  4.2 s
refund            1/3   33 % (20–90 %)       0  $0.0125  4.2 s
delivery          0/0                –       1  $0.0125  4.2 s
total             2/4   50 % (20–90 %)       1  $0.0125  4.2 s

refund
  ✗ contains "refund" (2 of 3): the answer is "No."
  · judge rubric "Is polite." (1 of 3, does not decide)

delivery
  ! model_overloaded (1 of 1): The provider is overloaded.

Model calls: 2 made to models, 8 answered from recordings.
`)
  })

  it('the table of a comparison has the verdict of each case and leaves out the time at 80 columns', () => {
    const lines = plain(sampleReport({ comparison: comparison() })).split('\n')
    expect(lines[0]).toBe('case           passed      rate (95 %)  errors     cost  verdict')
    expect(lines[1]).toContain('not distinguishable')
    expect(lines[2]).toMatch(/^refund .* worse$/u)
    expect(lines.at(-3)).toBe(
      'Compared with main: not distinguishable (p = 0.210). About 24 repeats per case',
    )
    expect(lines.at(-2)).toBe('are needed to tell.')
  })

  it('the table of several models has a part for each, and the verdict only in the first', () => {
    const [variant] = sampleReport().variants
    if (variant === undefined) throw new Error('there is no variant')
    const variants = [
      { ...variant, model: 'test/small' },
      { ...variant, model: 'test/large' },
    ]
    const text = plain(sampleReport({ variants, comparison: comparison() }), 120)
    expect(text.match(/^test\/.*$/gmu)).toEqual(['test/small', 'test/large'])
    expect(text.match(/^case .*$/gmu)?.map((line) => line.includes('verdict'))).toEqual([true, false])
  })

  it('a rate is shown as 0 or 100 % only if no repeat or every repeat passed', () => {
    const almost = totals(999, 1, { rate: 0.999, interval: [0.994, 0.9999] })
    const variants = [{ cases: [caseReport('a', { totals: almost })], totals: almost }]
    expect(plain(sampleReport({ variants }))).toContain('99 % (99–99 %)')
  })

  it('a long id is cut, and every line stays within the width', () => {
    const id = `case-${'x'.repeat(200)}`
    const checks = [check(`contains ${'y'.repeat(300)}`, { passed: false, message: 'z'.repeat(600) })]
    const cases = [
      caseReport(id, { repeats: [repeat(0, { status: 'failed', checks })], totals: totals(0, 1) }),
    ]
    const variants = [{ cases, totals: totals(0, 1) }]
    const text = plain(sampleReport({ variants, comparison: comparison() }), 80)
    expect(text).toContain('case-xx')
    for (const line of text.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(80)
  })

  it('colours change nothing but the colours, and no text can add a control character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (id, message) => {
        const checks = [check(message, { passed: false, message })]
        const error = { code: message, message }
        const repeats = [repeat(0, { status: 'failed', checks }), repeat(1, { status: 'error', error })]
        const variants = [{ model: id, cases: [caseReport(id, { repeats })], totals: totals(0, 1) }]
        const report = sampleReport({ variants, comparison: comparison({ base: id }) })
        const text = plain(report)
        expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
        expect(stripVTControlCharacters(formatTable(report, { width: 80, color: true }))).toBe(text)
      }),
    )
  })
})
