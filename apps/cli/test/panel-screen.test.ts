import type { EventDraft } from '@troupe/schema'
import { sampleEvent, verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { createLiveReporter } from '../src/reporter/live-reporter.ts'
import type { Reporter } from '../src/reporter/reporter.ts'
import { callChild, child, ROOT, usageOf } from './events.ts'
import { createScreen, type Screen } from './screen.ts'
import { testContext } from './test-context.ts'

/** A panel whose bytes go to an emulated terminal. */
interface Drawn {
  readonly screen: Screen
  /** Sends these events to the panel, then waits for the time of one frame. */
  tell(...drafts: readonly EventDraft[]): Promise<void>
  /** Prints a text as a function of a card does. */
  print(text: string): Promise<void>
  /** Resizes the screen only, as if the program had not been notified yet. */
  resizeScreen(columns: number, rows: number): Promise<void>
  resize(columns: number, rows: number): Promise<void>
  end(): Promise<void>
}

function draw(columns: number, rows: number): Drawn {
  const context = testContext({ tty: true, columns, rows })
  const { terminal, clock } = context
  const screen = createScreen({ columns, rows, lineFeeds: true })
  const panel: Reporter = createLiveReporter(terminal, {
    clock,
    streams: false,
    keepsRoot: true,
  })
  let seq = 0
  let seen = 0
  const show = async (): Promise<void> => {
    await clock.advance(100)
    const bytes = context.err()
    await screen.write(bytes.slice(seen))
    seen = bytes.length
  }
  return {
    screen,
    async tell(...drafts) {
      for (const draft of drafts) panel.onEvent({ ...draft, rootRunId: 'root', seq: (seq += 1) })
      await show()
    },
    async print(text) {
      terminal.notes.stream.write(text)
      await show()
    },
    async resizeScreen(width, height) {
      await screen.resize(width, height)
      await show()
    },
    async resize(width, height) {
      await screen.resize(width, height)
      Object.assign(terminal.stderr, { columns: width, rows: height })
      terminal.stderr.emit('resize')
      await show()
    },
    async end() {
      panel.end()
      await show()
    },
  }
}

const PANEL_ROW = /^\s*[✓✗■◐◦…?⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] /u

function begin(index: number): EventDraft {
  return sampleEvent('run-start', { ...child(index), callId: `1.${index}` })
}

function finish(index: number): EventDraft {
  return sampleEvent('run-end', { ...child(index), durationMs: 1000 })
}

/** Returns the events of a root that calls so many children; the first `running` of them start. */
function callAll(count: number, running: number): readonly EventDraft[] {
  const indices = Array.from({ length: count }, (_, index) => index + 1)
  return [sampleEvent('run-start', ROOT), ...indices.map(callChild), ...indices.slice(0, running).map(begin)]
}

describe('the panel on a screen', () => {
  it(`the panel with 40 children stays inside 80x24 and leaves nothing behind ${verifies('A22', 'A67', 'A68', 'A85', 'B15')}`, async () => {
    const { screen, tell, print, end } = draw(80, 24)
    await tell(...callAll(40, 4))
    for (let index = 1; index <= 40; index += 1) {
      await tell(finish(index), ...(index + 4 <= 40 ? [begin(index + 4)] : []))
      if (index % 10 === 0) await print(`note ${index} 東京 ${'long '.repeat(20)}\n`)
      expect(screen.scrolledOff().filter((line) => PANEL_ROW.test(line))).toEqual([])
      const rows = screen.visible().filter((line) => PANEL_ROW.test(line))
      // the root run, the row of all children, and at most four that run
      expect(rows.length).toBeLessThanOrEqual(6)
      expect(rows[0]).toContain('Time')
      expect(rows[1]).toContain('City ×40')
    }
    await tell(sampleEvent('run-end', { ...ROOT, durationMs: 4000 }))
    await end()
    const rows = screen.all().filter((line) => PANEL_ROW.test(line))
    expect(rows).toHaveLength(2)
    expect(rows[0]).toMatch(/^✓ Time +4\.0 s {2}Completed$/u)
    expect(rows[1]).toMatch(/^ {2}✓ City ×40 .* 40 ✓ · median 1\.0 s$/u)
    expect(screen.all().filter((line) => line.startsWith('note'))).toHaveLength(4)
  })

  it.each([1, 2, 4])(
    `the panel shows %i parallel children and then the parent again ${verifies('A84', 'A85')}`,
    async (count) => {
      const { screen, tell, end } = draw(80, 24)
      await tell(...callAll(count, count))
      expect(screen.visible()[0]).toMatch(/^. Time .* calls agent__City/u)
      expect(screen.visible()).toHaveLength(count === 1 ? 2 : count + 2)
      for (let index = 1; index <= count; index += 1) await tell(finish(index))
      await tell(sampleEvent('run-end', ROOT))
      await end()
      expect(screen.all().map((line) => line.trim().split(/\s+/u)[1])).toEqual([
        'Time',
        ...Array.from({ length: count }, (_, index) => `City[${index + 1}]`),
      ])
    },
  )

  it('the panel in 60 columns cuts wide rows, even with wide characters', async () => {
    const { screen, tell, end } = draw(60, 24)
    const wide = { ...child(1), agent: '東京', instance: `${'東京の天気'.repeat(10)}[1]` }
    await tell(
      ...callAll(2, 0),
      sampleEvent('run-start', { ...wide, callId: '1.1' }),
      sampleEvent('tool-call', { ...wide, callId: '1.1', toolName: '天気'.repeat(40) }),
    )
    expect(screen.visible()).toHaveLength(4)
    await tell(sampleEvent('run-end', wide), sampleEvent('run-end', ROOT))
    await end()
    // the call that never started is closed with its run
    expect(screen.all()).toHaveLength(2)
  })

  it('the panel follows every resize of the terminal', async () => {
    const { screen, tell, resize, end } = draw(80, 24)
    await tell(...callAll(4, 4))
    for (const [columns, rows] of [
      [100, 30],
      [40, 30],
      [60, 12],
      [120, 40],
      [80, 24],
    ] as const) {
      await resize(columns, rows)
      expect(screen.all().filter((line) => line.includes('Time'))).toHaveLength(1)
      expect(screen.all().filter((line) => PANEL_ROW.test(line))).toHaveLength(5)
    }
    await tell(sampleEvent('run-end', ROOT))
    await end()
    expect(screen.all()).toHaveLength(5)
  })

  it('the panel leaves nothing behind when frames are drawn between a resize and its notification', async () => {
    const { screen, tell, resizeScreen, resize, end } = draw(80, 24)
    await tell(...callAll(2, 2), usageOf(child(1), { input: 1200, output: 300, micros: 2500 }))
    for (const [columns, rows] of [
      [30, 24],
      [100, 30],
      [40, 10],
      [120, 40],
    ] as const) {
      await resizeScreen(columns, rows)
      await resizeScreen(columns, rows)
      await resize(columns, rows)
      expect(screen.all().filter((line) => PANEL_ROW.test(line))).toHaveLength(3)
      expect(screen.all()).toHaveLength(4)
    }
    await tell(sampleEvent('run-end', ROOT))
    await end()
    expect(screen.all()).toHaveLength(3)
  })

  it('the panel in a terminal that became too low leaves one frame in the scrollback', async () => {
    const { screen, tell, resize, end } = draw(80, 24)
    await tell(...callAll(30, 20))
    await resize(80, 10)
    for (let index = 1; index <= 20; index += 1) await tell(finish(index))
    await tell(sampleEvent('run-end', ROOT))
    await end()
    expect(screen.all().filter((line) => /^. Time /u.test(line)).length).toBeLessThanOrEqual(2)
    expect(screen.visible().length).toBeLessThanOrEqual(10)
  })
})
