import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatHtml, type EvalReport } from '../src/index.ts'
import { find, parsePage, texts, type ParsedPage } from './parsed-page.ts'
import { caseReport, check, comparison, clerkRun, repeat, sampleReport, totals } from './sample-report.ts'

const RUNS = new Map([['run_0', clerkRun()]])

function pageOf(report: EvalReport, runs = RUNS): ParsedPage {
  return parsePage(formatHtml(report, runs))
}

function digest(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

describe('the HTML file of a report', () => {
  it('the page has a summary, and each case with its repeats, checks and answers', () => {
    const page = pageOf(sampleReport({ comparison: comparison() }))
    expect(page.title).toBe('Evaluation of clerk')
    expect(texts(page, 'tbody tr')).toEqual([
      'opening-hours 1/1 100 % (20–90 %) 0 $0.0125 4.2 s not distinguishable',
      'refund 1/3 33 % (20–90 %) 0 $0.0125 4.2 s worse',
      'delivery 0/0 – 1 $0.0125 4.2 s',
    ])
    expect(texts(page, '.case h3')).toEqual(['opening-hours passed', 'refund failed', 'delivery error'])
    const [, refund, delivery] = page.querySelectorAll('.case')
    if (refund === undefined || delivery === undefined) throw new Error('a case is missing')
    expect(texts(refund, '.checks li').slice(0, 2)).toEqual([
      '✗ contains "refund" the answer is "No."',
      '✗ judge rubric "Is polite." score 0.4 · does not decide',
    ])
    expect(texts(refund, '.repeat > pre')).toEqual(['Nine to five.', 'Nine to five.', 'Nine to five.'])
    expect(texts(delivery, 'p.error')).toEqual(['model_overloaded: The provider is overloaded.'])
    expect(Array.from(refund.querySelectorAll('.repeat'), (each) => each.hasAttribute('open'))).toEqual([
      true,
      false,
      false,
    ])
    for (const link of page.querySelectorAll('a'))
      expect(page.querySelector(link.getAttribute('href') ?? '')).not.toBeNull()
  })

  it('the timeline of a run shows agents, turns and tools with their times, inputs and results', () => {
    const timeline = find(pageOf(sampleReport()), '.timeline')
    expect(texts(timeline, '.step')).toEqual([
      'Lead When are you open?1.4 s',
      'turn 1: test/lead, 10 in, 5 out1.0 s',
      'Clerk[1] hours400 ms',
      'turn 1300 ms',
      'crm__find failed { "q": "hours" }200 ms',
    ])
    expect(Array.from(timeline.children, (step) => step.getAttribute('class'))).toEqual([
      'level-0',
      'level-1',
      'level-2',
      'level-3',
      'level-4',
    ])
    const bars = Array.from(timeline.querySelectorAll('rect'), (bar) =>
      ['class', 'x', 'width'].map((name) => bar.getAttribute(name)),
    )
    expect(bars).toEqual([
      ['bar-run', '0.0', '1000.0'],
      ['bar-turn', '0.0', '714.3'],
      ['bar-run', '428.6', '285.7'],
      ['bar-turn', '428.6', '214.3'],
      ['bar-tool', '500.0', '142.9'],
    ])
    expect(texts(timeline, 'pre')).toEqual([
      'When are you open?',
      'Nine to five.',
      'hours',
      'done',
      '{ "q": "hours" }',
      'Error: no shop',
    ])
  })

  it('a run without events has a note in place of its timeline', () => {
    const page = pageOf(sampleReport(), new Map())
    expect(page.querySelector('.timeline')).toBeNull()
    expect(texts(page, '.repeat > p')).toContain('The events of this run are not available.')
  })

  it('the policy of the page allows its own script and style only, and the page names no other address', () => {
    const file = formatHtml(sampleReport({ comparison: comparison() }), RUNS)
    const page = parsePage(file)
    const policy = find(page, 'meta[http-equiv]').getAttribute('content') ?? ''
    const source = (tag: string): string => file.split(`<${tag}>`)[1]?.split(`</${tag}>`)[0] ?? ''
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      `script-src '${digest(source('script'))}'`,
      `style-src '${digest(source('style'))}'`,
      "base-uri 'none'",
      "form-action 'none'",
    ])
    expect(page.querySelectorAll('[src], link, img, iframe, form, [style]')).toHaveLength(0)
    expect(file).not.toMatch(/https?:|@import|url\(/u)
    expect(file.indexOf('http-equiv')).toBeLessThan(file.indexOf('<style>'))
  })

  it('the search and the box for failures hide cases and repeats', () => {
    const page = pageOf(sampleReport())
    const script = find(page, 'script').textContent
    // the page has no browser here, so its script runs on the parsed document
    // oxlint-disable-next-line no-new-func, no-implied-eval, typescript/no-implied-eval
    new Function('document', script)(page)
    const shown = (selector: string): readonly string[] =>
      Array.from(page.querySelectorAll(selector)).flatMap((each) =>
        each.hasAttribute('hidden')
          ? []
          : [each.querySelector('h3, summary')?.textContent?.trim().split(/\s+/u)[0] ?? ''],
      )
    expect(find(page, '#controls').hasAttribute('hidden')).toBe(false)
    expect(shown('.case')).toEqual(['opening-hours', 'refund', 'delivery'])
    const set = (selector: string, field: object, event: string): void => {
      const input = find(page, selector)
      Object.assign(input, field)
      input.dispatchEvent(new page.defaultView.Event(event))
    }
    set('#failed-only', { checked: true }, 'change')
    expect(shown('.case')).toEqual(['refund', 'delivery'])
    expect(shown('.repeat')).toHaveLength(3)
    set('#search', { value: ' OVERLOADED ' }, 'input')
    expect(shown('.case')).toEqual(['delivery'])
    expect(texts(page, '#count')).toEqual(['1 of 3 cases'])
    set('#failed-only', { checked: false }, 'change')
    set('#search', { value: 'crm__find' }, 'input')
    expect(shown('.case')).toEqual(['opening-hours', 'refund', 'delivery'])
    set('#search', { value: 'open.' }, 'input')
    expect(shown('.case')).toEqual(['opening-hours'])
  })

  it('no text of a model, a tool or a file adds an element or an attribute to the page', () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '<script>alert(1)</script>',
        '</pre></style></script><img src=x onerror=alert(1)>',
        '" onmouseover="alert(1)',
        "' onload='alert(1)",
        '<!--',
        ']]>',
        '&lt;b&gt;',
        '${1}',
        '\u202Etxt\u0000\u001B[0m',
      ),
    )
    const shapeOf = (file: string): readonly string[] =>
      Array.from(parsePage(file).querySelectorAll('*'), (element) =>
        [element.localName, ...element.getAttributeNames()].join(' '),
      )
    const fileOf = (text: string): string => {
      const checks = [check(text, { passed: false, message: text })]
      const error = { code: text, message: text }
      const repeats = [repeat(0, { status: 'failed', checks, error, output: `answer ${text}` })]
      const cases = [caseReport(text, { description: text, repeats, totals: totals(0, 1) })]
      const runs = clerkRun().map((event) => {
        switch (event.type) {
          case 'run-start':
            return { ...event, input: `input ${text}`, instance: `instance ${text}` }
          case 'tool-call':
            return { ...event, toolName: `tool ${text}`, args: { text } }
          case 'tool-result':
            return { ...event, content: [{ type: 'text' as const, text: `result ${text}` }] }
          default:
            return event
        }
      })
      const report = sampleReport({
        agent: text,
        commit: text,
        variants: [{ model: text, cases, totals: totals(0, 1) }],
        comparison: comparison({ base: text }),
      })
      return formatHtml(report, new Map([['run_0', runs]]))
    }
    const expected = shapeOf(fileOf('text'))
    fc.assert(
      fc.property(hostile, (text) => {
        const file = fileOf(text)
        expect(shapeOf(file)).toEqual(expected)
        expect(file.replaceAll(/[\t\n]/gu, '')).not.toMatch(/[\p{Cc}\u202E]/u)
      }),
      { numRuns: 40 },
    )
  })

  it('a long answer is cut', () => {
    const repeats = [repeat(0, { output: 'x'.repeat(100_000) })]
    const variants = [{ cases: [caseReport('a', { repeats })], totals: totals(1, 0) }]
    const [answer = ''] = texts(pageOf(sampleReport({ variants })), '.repeat > pre')
    expect(answer).toHaveLength(20_000)
    expect(answer.endsWith('…')).toBe(true)
  })
})
