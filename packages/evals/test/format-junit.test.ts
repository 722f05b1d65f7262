import * as fc from 'fast-check'
import { SaxesParser } from 'saxes'
import { describe, expect, it } from 'vitest'
import { formatJunit } from '../src/index.ts'
import { caseReport, check, comparison, repeat, sampleReport, totals } from './sample-report.ts'

interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly XmlElement[]
  readonly text: string
}

/** Parses XML strictly: throws for anything that is not well-formed, including forbidden characters. */
function parseXml(xml: string): XmlElement {
  const root = { name: '', attributes: {}, children: [] as XmlElement[], text: '' }
  const open = [root]
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name, attributes, children: [] as XmlElement[], text: '' }
    open.at(-1)?.children.push(element)
    open.push(element)
  })
  parser.on('text', (text) => {
    const last = open.at(-1)
    if (last !== undefined) last.text += text
  })
  parser.on('closetag', () => void open.pop())
  parser.write(xml).close()
  const [element] = root.children
  if (element === undefined) throw new Error('the document is empty')
  return element
}

function propertiesOf({ children }: XmlElement): Readonly<Record<string, string | undefined>> {
  const list = children.find(({ name }) => name === 'properties')?.children ?? []
  return Object.fromEntries(list.map(({ attributes }) => [attributes['name'], attributes['value']]))
}

describe('the JUnit file of a report', () => {
  it('a suite has a test case per case: passed, with a failure, and with an error', () => {
    const root = parseXml(formatJunit(sampleReport()))
    expect(root).toMatchObject({ name: 'testsuites', attributes: { tests: '3', failures: '1', errors: '1' } })
    const [suite] = root.children
    expect(suite?.attributes).toMatchObject({
      name: 'clerk',
      tests: '3',
      timestamp: '2026-10-01T08:00:00.000Z',
    })
    const cases = suite?.children.filter(({ name }) => name === 'testcase') ?? []
    expect(cases.map(({ attributes }) => attributes)).toEqual([
      { classname: 'clerk', name: 'opening-hours', time: '4.200' },
      { classname: 'clerk', name: 'refund', time: '4.200' },
      { classname: 'clerk', name: 'delivery', time: '4.200' },
    ])
    expect(cases.map(({ children }) => children.map(({ name }) => name))).toEqual([
      ['properties'],
      ['properties', 'failure'],
      ['properties', 'error'],
    ])
    expect(cases[1]?.children[1]).toMatchObject({
      attributes: { message: '1/3 repeats passed, rate 33 % (20–90 %)' },
      text: `\
repeat 1: contains "refund": the answer is "No."
repeat 1: judge rubric "Is polite." (does not decide)
repeat 3: contains "refund": the answer is "No."`,
    })
    expect(cases[2]?.children[1]).toMatchObject({
      attributes: { type: 'model_overloaded', message: '1 of 1 repeats broke' },
      text: 'repeat 1: model_overloaded: The provider is overloaded.',
    })
  })

  it('rate, interval, commit and verdict are properties', () => {
    const [suite] = parseXml(formatJunit(sampleReport({ comparison: comparison() }))).children
    if (suite === undefined) throw new Error('there is no suite')
    const interval = { 'interval.low': '0.2', 'interval.high': '0.9' }
    expect(propertiesOf(suite)).toMatchObject({
      commit: '1a2b3c4',
      cardDigest: 'd1ge57',
      rate: '0.5',
      ...interval,
      verdict: 'not distinguishable',
    })
    const cases = suite.children.filter(({ name }) => name === 'testcase').map(propertiesOf)
    expect(cases[0]).toMatchObject({ description: 'Knows when the shop is open.', rate: '1', ...interval })
    expect(cases[1]).toMatchObject({ verdict: 'worse', pValue: '0.01' })
    expect(cases[2]).not.toHaveProperty('rate')
  })

  it('each model has a suite of its own', () => {
    const [variant] = sampleReport().variants
    if (variant === undefined) throw new Error('there is no variant')
    const variants = [
      { ...variant, model: 'test/small' },
      { ...variant, model: 'test/large' },
    ]
    const { children, attributes } = parseXml(formatJunit(sampleReport({ variants })))
    expect(children.map((suite) => suite.attributes['name'])).toEqual([
      'clerk (test/small)',
      'clerk (test/large)',
    ])
    expect(attributes['tests']).toBe('6')
  })

  it('the file is well-formed and has the same elements, whatever the texts contain', () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        ']]>',
        '"/><testcase name="x"/>',
        '&lt;',
        '<!--',
        '\u0000\u001B[31m\uFFFE\uD800',
        "' onload='",
      ),
    )
    const namesOf = ({ name, children }: XmlElement): unknown => [name, children.map(namesOf)]
    const reportOf = (id: string, text: string) => {
      const checks = [check(text, { passed: false, message: text })]
      const failed = caseReport(id, {
        description: text,
        repeats: [repeat(0, { status: 'failed', checks })],
        totals: totals(0, 1),
      })
      const error = { code: text, message: text }
      const broken = caseReport(id, {
        repeats: [repeat(0, { status: 'error', error })],
        totals: totals(0, 0, { errors: 1 }),
      })
      const variants = [{ model: text, cases: [failed, broken], totals: totals(0, 1, { errors: 1 }) }]
      return sampleReport({ agent: text, commit: text, variants, comparison: comparison({ base: text }) })
    }
    const expected = namesOf(parseXml(formatJunit(reportOf('id', 'text'))))
    fc.assert(
      fc.property(hostile, hostile, (id, text) => {
        expect(namesOf(parseXml(formatJunit(reportOf(id, text))))).toEqual(expected)
      }),
    )
  })
})
