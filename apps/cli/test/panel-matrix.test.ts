import { sampleEvent } from '@troupe/testkit/internal'
import type { EventDraft } from '@troupe/schema'
import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { panelLines, type PanelFrame, type PanelView } from '../src/reporter/panel.ts'
import { createStyle } from '../src/terminal/terminal.ts'
import { callChild, child, fold, ROOT, usageOf } from './events.ts'

/** How many children are in each state. */
interface ChildStates {
  readonly done: number
  readonly failed: number
  readonly cancelled: number
  readonly waiting: number
  readonly running: number
  readonly queued: number
}

const COLUMNS = [40, 80, 120]
const ROWS = [6, 24, 40]
const VIEWS: readonly PanelView[] = ['folded', 'unfolded', 'errors']
const FRAME: PanelFrame = {
  now: 65_000,
  tick: 0,
  columns: 80,
  keys: ['f', 'e', 'o'],
  style: createStyle(true),
}

/** Returns how so many children are spread over the states. */
function statesOf(count: number): ChildStates {
  const part = (share: number): number => Math.floor(count * share)
  const rest = {
    failed: part(0.1),
    cancelled: part(0.05),
    waiting: part(0.05),
    running: part(0.2),
    queued: part(0.3),
  }
  const done = count - Object.values(rest).reduce((sum, number) => sum + number, 0)
  return { done, ...rest }
}

/** Returns the events of a run with these children, whose names and inputs are long and have wide characters. */
function eventsOf(states: ChildStates): readonly EventDraft[] {
  const started = states.done + states.failed + states.cancelled + states.waiting + states.running
  const all = Array.from({ length: started + states.queued }, (_, index) => index + 1)
  const ends = [
    ...Array.from({ length: states.done }, () => 'completed' as const),
    ...Array.from({ length: states.failed }, () => 'failed' as const),
    ...Array.from({ length: states.cancelled }, () => 'cancelled' as const),
  ]
  const waits = all.slice(ends.length, ends.length + states.waiting)
  return [
    sampleEvent('run-start', ROOT),
    ...all.map(callChild),
    ...all.slice(0, started).flatMap((index) => [
      sampleEvent('run-start', {
        ...child(index),
        callId: `1.${index}`,
        input: `東京の天気 and a long input of the child ${index}`,
      }),
      usageOf(child(index), { input: 1200, output: 300, micros: 2500 }),
    ]),
    ...ends.map((outcome, index) =>
      sampleEvent('run-end', { ...child(index + 1), outcome, durationMs: 900 + index }),
    ),
    ...waits.map((index) =>
      sampleEvent('approval-request', { ...child(index), callId: `w${index}`, toolName: 'publish' }),
    ),
    ...all.slice(started).map((index, position) =>
      sampleEvent('tool-queued', {
        ...ROOT,
        callId: `1.${index}`,
        toolName: 'agent__City',
        position: position + 1,
      }),
    ),
  ]
}

describe('the panel at every size', () => {
  it.each(COLUMNS.flatMap((columns) => [1, 5, 40, 400].map((count) => [columns, count] as const)))(
    'the panel in %i columns fits %i children in all states, and its sum counts them',
    (columns, count) => {
      const states = statesOf(count)
      const timeline = fold(eventsOf(states))
      for (const height of ROWS)
        for (const view of VIEWS) {
          const lines = panelLines(timeline, { ...FRAME, columns, height, view })
          expect(lines.length).toBeLessThanOrEqual(height)
          for (const line of lines) expect(stringWidth(line)).toBeLessThan(columns)
          if (count > 1) expectSum(lines.at(-1) ?? '', states)
        }
    },
  )

  it('the names of children are whole in 40 columns, and their inputs are cut', () => {
    const timeline = fold(eventsOf({ done: 0, failed: 0, cancelled: 0, waiting: 0, running: 12, queued: 0 }))
    const plain = { ...FRAME, style: createStyle(false), height: 23 }
    const lines = panelLines(timeline, { ...plain, columns: 40 })
    expect(lines.filter((line) => /^ {4}⠋ City\[\d+\] /u.test(line))).toHaveLength(12)
    expect(panelLines(timeline, { ...plain, columns: 80 })[2]).toMatch(
      /^ {4}⠋ City\[1\] 東京の天気 and a … /u,
    )
  })

  it('the sum and the row of a group leave out whole parts instead of cutting one', () => {
    const timeline = fold(eventsOf(statesOf(40)))
    const lines = panelLines(timeline, { ...FRAME, style: createStyle(false), columns: 40, height: 23 })
    expect(lines[1]).toMatch(/^ {2}⠋ City ×40 +1 m 04 s {2}(?:\d+ [✓✗■](?: · )?)+$/u)
    expect(lines.at(-1)).toBe('18/40 done · 8 running · 2 waiting')
    const wide = panelLines(timeline, { ...FRAME, style: createStyle(false), columns: 120, height: 23 })
    expect(wide.at(-1)).toContain(' · f unfold · e errors · o page')
  })

  it('the first row offers the page if there are too few children for a sum, and only if it fits', () => {
    const frame = { ...FRAME, style: createStyle(false), height: 23 }
    const alone = fold([sampleEvent('run-start', ROOT)])
    expect(panelLines(alone, frame)).toEqual([expect.stringMatching(/^⠋ Time .* {2}starting · o page$/u)])
    const one = fold(eventsOf({ done: 0, failed: 0, cancelled: 0, waiting: 0, running: 1, queued: 0 }))
    expect(panelLines(one, frame).filter((line) => line.includes('o page'))).toHaveLength(1)
    expect(panelLines(alone, { ...frame, columns: 26 })[0]).not.toContain('page')
    expect(panelLines(alone, { ...frame, keys: ['f', 'e'] })[0]).not.toContain('page')
    const last = panelLines(alone, { ...FRAME, style: createStyle(false) })
    expect(last[0]).not.toContain('page')
  })

  it('a cancelled child does not count as failed in the sum', () => {
    const timeline = fold(eventsOf({ done: 1, failed: 0, cancelled: 3, waiting: 0, running: 1, queued: 0 }))
    expect(panelLines(timeline, { ...FRAME, height: 23 }).at(-1)).not.toContain('failed')
  })

  it('the view of errors shows a long message in full below its row', () => {
    const message = 'No road leads to Lisbon: the bridge has been closed since Monday, and the ferry too'
    const failure = { class: 'tool' as const, code: 'tool_failed', message, remediation: '' }
    const timeline = fold([
      ...eventsOf({ done: 0, failed: 0, cancelled: 0, waiting: 0, running: 2, queued: 0 }),
      sampleEvent('run-end', { ...child(1), outcome: 'failed', error: failure as never }),
    ])
    const lines = panelLines(timeline, {
      ...FRAME,
      style: createStyle(false),
      columns: 40,
      height: 23,
      view: 'errors',
    })
    expect(
      lines
        .slice(2, -1)
        .map((line) => line.trim())
        .join(' '),
    ).toBe(message)
  })
})

/** Expects that each number that the sum shows is the one of the children, and that it shows how many have ended. */
function expectSum(line: string, { done, failed, cancelled, waiting, running, queued }: ChildStates): void {
  const ended = done + failed + cancelled
  expect(line).toContain(`${ended}/${ended + waiting + running + queued} done`)
  const shown = (word: string): string | undefined => new RegExp(`(\\d+) ${word}`, 'u').exec(line)?.[1]
  expect([undefined, `${running}`]).toContain(shown('running'))
  expect([undefined, `${waiting}`]).toContain(shown('waiting'))
  expect([undefined, `${failed}`]).toContain(shown('failed'))
}
