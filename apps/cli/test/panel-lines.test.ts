import { stripVTControlCharacters } from 'node:util'
import { failure, NO_USAGE, OUTCOMES } from '@troupe/schema'
import { sampleEvent, verifies } from '@troupe/testkit/internal'
import { assert, integer, property, string } from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { panelLines, type PanelFrame } from '../src/reporter/panel.ts'
import { createStyle } from '../src/terminal/terminal.ts'
import { callChild, child, fold, ROOT, startChildren } from './events.ts'

const FRAME: PanelFrame = { now: 4500, tick: 0, columns: 80, style: createStyle(false) }

describe('panelLines', () => {
  it(`the panel shows parallel children together, each with its indexed name ${verifies('A4', 'A58', 'A65', 'A70')}`, () => {
    const timeline = fold([
      ...startChildren(2),
      callChild(3),
      sampleEvent('tool-queued', { ...ROOT, callId: '1.3', toolName: 'agent__City', position: 1 }),
    ])
    expect(panelLines(timeline, FRAME)).toEqual([
      '⠋ Time            3.5 s  calls agent__City and 2 more',
      '  ⠋ City[1] go    2.5 s  starting',
      '  ⠋ City[2] go    2.5 s  starting',
      '  ◦ City[3]              queued, position 1',
    ])
  })

  it(`the panel keeps the row of an ended run while others continue ${verifies('A22', 'A68')}`, () => {
    const timeline = fold([...startChildren(2), sampleEvent('run-end', { ...child(1), durationMs: 850 })])
    const lines = panelLines(timeline, FRAME)
    expect(lines[1]).toBe('  ✓ City[1] go   850 ms  Completed')
    expect(lines[2]).toContain('City[2]')
  })

  it(`the panel shows "Completed" only for completed runs ${verifies('R6')}`, () => {
    const ends = OUTCOMES.map((outcome) => {
      const timeline = fold([
        sampleEvent('run-start', ROOT),
        sampleEvent('run-end', { ...ROOT, outcome, durationMs: 1 }),
      ])
      return [outcome, panelLines(timeline, FRAME)[0]?.includes('Completed')]
    })
    expect(ends).toEqual(OUTCOMES.map((outcome) => [outcome, outcome === 'completed']))
  })

  it('the panel shows why a run failed', () => {
    const timeline = fold([
      sampleEvent('run-start', ROOT),
      sampleEvent('run-end', {
        ...ROOT,
        outcome: 'failed',
        error: failure('model_auth', 'the key is wrong'),
      }),
    ])
    expect(panelLines(timeline, FRAME)[0]).toBe('✗ Time    10 ms  Failed: the key is wrong')
  })

  it(`the panel shows the tools of a child but not its text ${verifies('A51', 'A52')}`, () => {
    const uses = fold([
      ...startChildren(1),
      sampleEvent('tool-call', { ...child(1), callId: '1.1', toolName: 'clock__now', source: 'mcp' }),
    ])
    expect(panelLines(uses, FRAME)[1]).toContain('calls clock__now')
    const says = fold([
      ...startChildren(1),
      sampleEvent('turn-start', child(1)),
      sampleEvent('text-delta', { ...child(1), text: 'It is five.' }),
    ])
    expect(panelLines(says, FRAME)[1]).toContain('writing, 11 characters')
  })

  it(`the panel limits the rows of children and counts the others ${verifies('B15')}`, () => {
    const frame: PanelFrame = { ...FRAME, view: 'unfolded' }
    const lines = panelLines(fold(startChildren(5, { maxInstances: 2 })), frame)
    expect(lines).toHaveLength(4)
    expect(lines[3]).toContain('… 3 more')
    const failed = [1, 2, 3].map((index) => sampleEvent('run-end', { ...child(index), outcome: 'failed' }))
    const after = panelLines(fold([...startChildren(5, { maxInstances: 2 }), ...failed]), frame)
    expect(after[3]).toContain('3 done, 3 failed')
  })

  it('the panel fits the height of the terminal, keeps active runs, and counts the others in its last line', () => {
    const timeline = fold([
      ...startChildren(6),
      sampleEvent('run-end', child(1)),
      sampleEvent('run-end', child(2)),
    ])
    const lines = panelLines(timeline, { ...FRAME, height: 6, view: 'unfolded' })
    expect(lines.map((line) => line.slice(0, 11).trimEnd())).toEqual([
      '⠋ Time',
      '  ⠋ City[3]',
      '  ⠋ City[4]',
      '  ⠋ City[5]',
      '… 3 more',
      '2/6 done ·',
    ])
  })

  it('the panel folds five children of one agent into a row with their states, median time and cost, above the active ones', () => {
    const costs = sampleEvent('usage', { ...child(1), tokens: { ...NO_USAGE, micros: 60_000 } })
    const ends = [850, 1200, 4700].map((durationMs, index) =>
      sampleEvent('run-end', {
        ...child(index + 1),
        durationMs,
        outcome: index === 2 ? 'failed' : 'completed',
      }),
    )
    const queued = sampleEvent('tool-queued', {
      ...ROOT,
      callId: '1.6',
      toolName: 'agent__City',
      position: 1,
    })
    const timeline = fold([...startChildren(5), costs, ...ends, callChild(6), queued])
    expect(panelLines(timeline, { ...FRAME, columns: 100 })).toEqual([
      '⠋ Time              3.5 s  calls agent__City and 5 more',
      '  ⠋ City ×6         2.5 s  2 ✓ · 1 ✗ · 2 running · 1 queued · median 1.2 s · $0.0600',
      '    ⠋ City[4] go    2.5 s  starting',
      '    ⠋ City[5] go    2.5 s  starting',
    ])
    expect(panelLines(timeline, { ...FRAME, view: 'unfolded' })).toHaveLength(7)
  })

  it('the panel does not fold four children of one agent', () => {
    expect(panelLines(fold(startChildren(4)), FRAME)).toHaveLength(5)
  })

  it('the panel shows only failed runs in its view of errors', () => {
    const failed = sampleEvent('run-end', {
      ...child(3),
      outcome: 'failed',
      error: failure('model_auth', 'the key is wrong'),
    })
    const lines = panelLines(fold([...startChildren(6), failed]), { ...FRAME, view: 'errors' })
    expect(lines).toHaveLength(2)
    expect(lines[1]).toMatch(/^ {2}✗ City\[3\] go .*Failed: the key is wrong$/u)
  })

  it.each([40, 80, 120].flatMap((columns) => [1, 5, 40, 400].map((count) => [columns, count] as const)))(
    'the panel in %i columns fits the children of a run, of which there are %i',
    (columns, count) => {
      const ends = Array.from({ length: Math.floor(count / 2) }, (_, index) =>
        sampleEvent('run-end', { ...child(index + 1), durationMs: 1000 + index }),
      )
      const timeline = fold([...startChildren(count), ...ends])
      for (const view of ['folded', 'unfolded', 'errors'] as const) {
        const lines = panelLines(timeline, { ...FRAME, columns, height: 23, view })
        expect(lines.length).toBeLessThanOrEqual(23)
        for (const line of lines) expect(stringWidth(line)).toBeLessThan(columns)
      }
      const [, group] = panelLines(timeline, { ...FRAME, columns, height: 23 })
      expect(group).toContain(count < 5 ? 'City[1]' : `City ×${count}`)
    },
  )

  it('the panel names each child with its input', () => {
    const timeline = fold([
      sampleEvent('run-start', ROOT),
      sampleEvent('run-start', { ...child(1), input: 'Oslo, in\nthe \u001B[31mmorning' }),
    ])
    expect(panelLines(timeline, FRAME)[1]).toMatch(/^ {2}⠋ City\[1\] Oslo, in the .*morning +\d/u)
  })

  it('the panel of a limited height ends with the numbers of all children, their cost, tokens and time', () => {
    const timeline = fold([
      ...startChildren(3),
      sampleEvent('usage', {
        ...child(1),
        tokens: { ...NO_USAGE, input: 40_000, output: 2000, micros: 250_000 },
      }),
      sampleEvent('run-end', child(1)),
      sampleEvent('run-end', { ...child(2), outcome: 'failed' }),
      callChild(4),
      sampleEvent('tool-queued', { ...ROOT, callId: '1.4', toolName: 'agent__City', position: 1 }),
    ])
    const lines = panelLines(timeline, { ...FRAME, height: 10 })
    expect(lines.at(-1)).toBe('2/4 done · 1 running · 1 failed · $0.2500 · 42.0k tokens · 3.5 s')
  })

  it('the panel shows no numbers for a run without parallel children, nor in its last frame', () => {
    const alone = fold([sampleEvent('run-start', ROOT)])
    expect(panelLines(alone, { ...FRAME, height: 10 })).toHaveLength(1)
    expect(panelLines(fold(startChildren(2)), FRAME).at(-1)).toContain('City[2]')
  })

  it('the panel advances its spinner with every frame', () => {
    const timeline = fold([sampleEvent('run-start', ROOT)])
    const marks = [0, 1, 2].map((tick) => panelLines(timeline, { ...FRAME, tick })[0]?.[0])
    expect(new Set(marks).size).toBe(3)
  })

  it('the panel never exceeds the terminal and contains no control characters, whatever the texts are', () => {
    assert(
      property(
        string({ unit: 'binary', maxLength: 60 }),
        integer({ min: 1, max: 120 }),
        integer({ min: 1, max: 6 }),
        (text, columns, height) => {
          const hostile = `${text}\u001B[2J\u009B1A\u202E`
          const timeline = fold([
            ...startChildren(3),
            sampleEvent('tool-call', { ...child(1), callId: 'x', toolName: hostile }),
            sampleEvent('run-start', { ...child(7), instance: hostile }),
            sampleEvent('run-end', {
              ...child(2),
              outcome: 'failed',
              error: failure('tool_failed', hostile),
            }),
          ])
          const lines = panelLines(timeline, { ...FRAME, columns, height })
          expect(lines.length).toBeLessThanOrEqual(height)
          for (const line of lines) {
            expect(stringWidth(line)).toBeLessThan(Math.max(2, columns))
            expect(stripVTControlCharacters(line)).toBe(line)
            expect(line).not.toMatch(/[\p{Cc}\u202E]/u)
          }
        },
      ),
    )
  })
})
