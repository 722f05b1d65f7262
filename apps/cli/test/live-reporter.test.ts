import { PassThrough } from 'node:stream'
import type { EventDraft } from '@troupe/schema'
import { fakeClock, sampleEvent } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { createLiveReporter } from '../src/reporter/live-reporter.ts'
import { createTerminal } from '../src/terminal/terminal.ts'
import { callChild, child, ROOT } from './events.ts'
import { createScreen, type Screen } from './screen.ts'
import { testContext } from './test-context.ts'

const PANEL_ROW = /^\s*[✓✗■◐◦…?⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] /u
const SPINNER = /^\s*[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] /u

/** A turn whose bytes go to an emulated terminal. */
interface Drawn {
  readonly screen: Screen
  tell(...drafts: readonly EventDraft[]): Promise<void>
  /** Passes events from before a resume. */
  past(...drafts: readonly EventDraft[]): Promise<void>
  resize(columns: number, rows: number): Promise<void>
  end(): Promise<void>
}

function draw(columns: number, rows: number, { keepsRoot = false } = {}): Drawn {
  const output = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true, columns, rows })
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  const terminal = createTerminal({ stdin, stdout: output, stderr: output }, { env: {} })
  const clock = fakeClock()
  const screen = createScreen({ columns, rows, lineFeeds: true })
  const reporter = createLiveReporter(terminal, { clock, streams: true, keepsRoot })
  let seq = 0
  const show = async (): Promise<void> => {
    await clock.advance(100)
    await screen.write((output.read() as string | null) ?? '')
  }
  return {
    screen,
    async tell(...drafts) {
      for (const draft of drafts) reporter.onEvent({ ...draft, rootRunId: 'root', seq: (seq += 1) })
      await show()
    },
    async past(...drafts) {
      for (const draft of drafts) reporter.onPastEvent?.({ ...draft, rootRunId: 'root', seq: (seq += 1) })
      await show()
    },
    async resize(width, height) {
      await screen.resize(width, height)
      Object.assign(output, { columns: width, rows: height })
      output.emit('resize')
      await show()
    },
    async end() {
      reporter.end()
      await show()
    },
  }
}

function says(text: string): EventDraft {
  return sampleEvent('text-delta', { ...ROOT, text })
}

it('the live reporter leaves no row of a run that failed before its first turn', async () => {
  const started = draw(80, 24, { keepsRoot: true })
  const failed = sampleEvent('run-end', { ...ROOT, outcome: 'failed' })
  await started.tell(sampleEvent('run-start', ROOT), sampleEvent('turn-start', ROOT), failed)
  await started.end()
  expect(started.screen.visible().join('\n')).toContain('Failed')
  const refused = draw(80, 24, { keepsRoot: true })
  await refused.tell(sampleEvent('run-start', ROOT), failed)
  await refused.end()
  expect(refused.screen.visible()).toEqual([])
})

it('the live reporter shows what a resumed run did before in its panel, without the text', async () => {
  const { screen, tell, past } = draw(80, 24)
  await past(
    sampleEvent('run-start', ROOT),
    sampleEvent('turn-start', ROOT),
    sampleEvent('text-end', { ...ROOT, text: 'Old text.' }),
    sampleEvent('tool-call', { ...ROOT, callId: '1.2', toolName: 'pay' }),
  )
  expect(screen.all().join('\n')).toContain('Time')
  await tell(sampleEvent('text-end', { ...ROOT, text: 'New text.' }))
  expect(screen.all().join('\n')).toContain('New text.')
  expect(screen.all().join('\n')).not.toContain('Old text.')
})

describe('a turn of a chat on a screen', () => {
  it('the live reporter draws a block while it is written, keeps it when it is complete, and removes the panel', async () => {
    const { screen, tell, end } = draw(80, 24)
    await tell(sampleEvent('run-start', ROOT), sampleEvent('text-start', { ...ROOT, turn: 1 }), says('# Ti'))
    expect(screen.visible()[0]).toBe('Ti')
    await tell(says('tle\n\n- one\n- tw'))
    expect(screen.visible().slice(0, 4)).toEqual(['Title', '', '• one', '• tw'])
    await tell(says('o\n\nEnd.'), sampleEvent('text-end', { ...ROOT, turn: 1, text: 'all' }))
    await tell(sampleEvent('run-end', ROOT))
    await end()
    expect(screen.all()).toEqual(['Title', '', '• one', '• two', '', 'End.'])
  })

  it('the live reporter shows the end of a block higher than the terminal, and the whole block when it is complete', async () => {
    const { screen, tell, end } = draw(40, 10)
    const items = Array.from({ length: 30 }, (_, index) => `- item ${index + 1}`)
    await tell(sampleEvent('run-start', ROOT), sampleEvent('text-start', { ...ROOT, turn: 1 }))
    for (const item of items) {
      await tell(says(`${item}\n`))
      expect(screen.scrolledOff()).toEqual([])
    }
    expect(screen.visible().some((line) => line === '• item 30')).toBe(true)
    await tell(sampleEvent('text-end', { ...ROOT, turn: 1, text: items.join('\n') }))
    await end()
    expect(screen.all()).toEqual(items.map((item) => item.replace('-', '•')))
  })

  it('the live reporter follows every resize of the terminal and prints nothing twice', async () => {
    const { screen, tell, resize, end } = draw(80, 24)
    const begin = (index: number): EventDraft =>
      sampleEvent('run-start', { ...child(index), callId: `1.${index}` })
    const words = 'many words that are wrapped somewhere else in each width. '.repeat(4)
    await tell(sampleEvent('run-start', ROOT), sampleEvent('text-start', { ...ROOT, turn: 1 }), says(words))
    for (const [columns, rows] of [
      [100, 30],
      [40, 30],
      [60, 16],
      [80, 24],
    ] as const) {
      await resize(columns, rows)
      expect(screen.all().join(' ').split('in each width.')).toHaveLength(5)
      expect(screen.all().filter((line) => SPINNER.test(line))).toHaveLength(1)
    }
    await tell(sampleEvent('text-end', { ...ROOT, turn: 1, text: words }))
    await tell(callChild(1), callChild(2), begin(1), begin(2))
    await resize(60, 20)
    expect(screen.all().filter((line) => PANEL_ROW.test(line))).toHaveLength(3)
    await tell(...[1, 2].map((index) => sampleEvent('run-end', { ...child(index), durationMs: 1000 })))
    await tell(sampleEvent('text-start', { ...ROOT, turn: 2 }), says('Both have answered.'))
    await tell(sampleEvent('text-end', { ...ROOT, turn: 2, text: 'Both have answered.' }))
    await tell(sampleEvent('run-end', ROOT))
    await end()
    const lines = screen.all()
    expect(lines.filter((line) => PANEL_ROW.test(line)).map((line) => line.trim().slice(0, 9))).toEqual([
      '✓ City[1]',
      '✓ City[2]',
    ])
    expect(lines.slice(-2)).toEqual(['', 'Both have answered.'])
  })

  it('the live reporter erases the panel before the program is stopped, and draws it again afterwards', async () => {
    const context = testContext({ tty: true })
    let setForeground: ((isForeground: boolean) => void) | undefined
    const reporter = createLiveReporter(context.terminal, {
      clock: context.clock,
      streams: true,
      watchForeground: (fn) => {
        setForeground = fn
        return () => undefined
      },
    })
    const screen = createScreen({ columns: 80, rows: 24, lineFeeds: true })
    let seen = 0
    const show = async (): Promise<readonly string[]> => {
      await context.clock.advance(100)
      await screen.write(context.err().slice(seen))
      seen = context.err().length
      return screen.all()
    }
    reporter.onEvent({ ...sampleEvent('run-start', ROOT), rootRunId: 'root', seq: 1 })
    expect(await show()).toHaveLength(1)
    setForeground?.(false)
    expect(await show()).toEqual([])
    setForeground?.(true)
    expect(await show()).toHaveLength(1)
    reporter.end()
  })
})
