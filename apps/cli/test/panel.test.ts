import { stripVTControlCharacters } from 'node:util'
import { sampleEvent, verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { createLiveReporter } from '../src/reporter/live-reporter.ts'
import type { Reporter } from '../src/reporter/reporter.ts'
import { child, numbered, ROOT, startChildren } from './events.ts'
import { createScreen } from './screen.ts'
import { testContext, type TestContext } from './test-context.ts'

const SHOW_CURSOR = '\u001B[?25h'

function open(context: TestContext): Reporter {
  const { terminal, clock } = context
  return createLiveReporter(terminal, { clock, streams: false, keepsRoot: true })
}

function tell(panel: Reporter, drafts: Parameters<typeof numbered>[0]): void {
  for (const event of numbered(drafts)) panel.onEvent(event)
}

describe('createLiveReporter', () => {
  it(`createLiveReporter draws from events and leaves a last frame with every run ${verifies('A4', 'A22', 'A67')}`, async () => {
    const context = testContext({ tty: true })
    const screen = createScreen({ columns: 80, rows: 24, lineFeeds: true })
    const panel = open(context)
    const ends = [1, 2].map((index) => sampleEvent('run-end', { ...child(index), durationMs: index * 1000 }))
    tell(panel, [...startChildren(2), ...ends, sampleEvent('run-end', { ...ROOT, durationMs: 2500 })])
    panel.end()
    await screen.write(context.err())
    expect(screen.all()).toEqual([
      '✓ Time            2.5 s  Completed',
      '  ✓ City[1] go    1.0 s  Completed',
      '  ✓ City[2] go    2.0 s  Completed',
    ])
    expect(context.err().endsWith(SHOW_CURSOR)).toBe(true)
  })

  it('createLiveReporter draws at most twelve frames a second, however many events there are', async () => {
    const context = testContext({ tty: true })
    const panel = open(context)
    let frames = 0
    context.terminal.stderr.on('data', () => {
      frames += 1
    })
    tell(panel, startChildren(1))
    for (let part = 0; part < 500; part += 1) {
      panel.onEvent({ ...sampleEvent('text-delta', { ...child(1), rootRunId: 'root', text: 'x' }), after: 3 })
      await context.clock.advance(2)
    }
    expect(frames).toBeLessThanOrEqual(14)
    expect(stripVTControlCharacters(context.err())).toContain('writing, 4')
    panel.end()
  })

  it('createLiveReporter stops its clock and its drawing when it ends, even if it is ended twice', async () => {
    const context = testContext({ tty: true })
    const panel = open(context)
    tell(panel, startChildren(1))
    panel.end()
    panel.end()
    const before = context.err()
    await context.clock.advance(1000)
    expect(context.err()).toBe(before)
    expect(context.clock.pending()).toBe(0)
  })

  it('createLiveReporter makes room for a question and continues after it', async () => {
    const context = testContext({ tty: true })
    const panel = open(context)
    tell(panel, startChildren(1))
    let during = ''
    await panel.pause(async () => {
      const before = context.err()
      await context.clock.advance(1000)
      during = context.err().slice(before.length)
    })
    expect(during).toBe('')
    expect(context.clock.pending()).toBe(1)
    panel.end()
  })

  it('createLiveReporter prints the output of functions above the rows', async () => {
    const context = testContext({ tty: true })
    const panel = open(context)
    tell(panel, startChildren(1))
    context.terminal.notes.stream.write('a note\n')
    await context.clock.advance(100)
    panel.end()
    const text = stripVTControlCharacters(context.err())
    expect(text).toContain('a note\n⠙ Time')
    context.terminal.notes.stream.write('later\n')
    expect(context.err().endsWith('later\n')).toBe(true)
  })

  it(`createLiveReporter shows the text of the root run above the rows, but not that of children ${verifies('A51', 'A57')}`, async () => {
    const context = testContext({ tty: true })
    const panel = open(context)
    tell(panel, [
      sampleEvent('run-start', ROOT),
      sampleEvent('text-end', { ...ROOT, text: 'Let me\nsee.' }),
      sampleEvent('tool-call', { ...ROOT, callId: '1.1' }),
      sampleEvent('run-start', { ...child(1), callId: '1.1' }),
      sampleEvent('text-end', { ...child(1), text: 'I think so.' }),
      sampleEvent('tool-call', { ...child(1), callId: '1.1' }),
    ])
    await context.clock.advance(100)
    panel.end()
    const text = stripVTControlCharacters(context.err())
    expect(text).toContain('Let me\nsee.\n⠙ Time')
    expect(text).not.toContain('think so')
  })

  it('createLiveReporter erases the lines that a narrower terminal has wrapped', async () => {
    const context = testContext({ tty: true, columns: 80 })
    const panel = open(context)
    tell(panel, startChildren(1))
    await context.clock.advance(100)
    const before = context.err().length
    Object.assign(context.terminal.stderr, { columns: 20 })
    context.terminal.stderr.emit('resize')
    const drawn = context.err().slice(before)
    expect(drawn.split('\u001B[1A').length - 1).toBe(5)
    panel.end()
  })

  it('createLiveReporter draws nothing without events', () => {
    const context = testContext({ tty: true })
    open(context).end()
    expect(context.err()).toBe('')
  })
})
