import type { EventDraft, Outcome, RunEvent } from '@troupe/schema'
import { sampleEvent } from '@troupe/testkit/internal'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EMPTY_RUN_VIEW_STATE, reduceRunViewState, rootOf } from '../src/reducers/run-view-state.ts'
import type { Transcripts } from '../src/reducers/transcript.ts'
import { harbourRun, numbered } from './harbour-run.ts'

const LEAD = { runId: 'root', agent: 'Lead', instance: 'Lead', depth: 0 }

/** Returns the events of a run that writes a text, makes two calls and is then stopped. */
function stoppedRun({
  callTurn = 1,
  outcome = 'cancelled',
  beforeEnd = [],
}: {
  readonly callTurn?: number
  readonly outcome?: Outcome
  /** Events before the end. */
  readonly beforeEnd?: readonly EventDraft[]
} = {}): readonly RunEvent[] {
  const call = { ...LEAD, turn: callTurn, toolName: 'agent__Scout', source: 'agent' } as const
  return numbered([
    sampleEvent('run-start', LEAD),
    sampleEvent('turn-start', { ...LEAD, turn: 1 }),
    sampleEvent('text-start', { ...LEAD, turn: 1 }),
    sampleEvent('text-delta', { ...LEAD, text: 'I ask both.' }),
    sampleEvent('text-end', { ...LEAD, turn: 1, text: 'I ask both.' }),
    sampleEvent('usage', { ...LEAD, turn: 1 }),
    sampleEvent('tool-call', { ...call, callId: `${callTurn}.1`, ordinal: 1 }),
    sampleEvent('tool-call', { ...call, callId: `${callTurn}.2`, ordinal: 2 }),
    ...beforeEnd,
    sampleEvent('run-end', { ...LEAD, outcome, output: { format: 'text', text: 'I ask both.' } }),
  ])
}

function shownKinds(transcript: ReturnType<Transcripts['get']>): readonly string[] | undefined {
  return transcript?.filter((item) => item.kind !== 'text' || item.text !== '').map(({ kind }) => kind)
}

describe('run view state', () => {
  it('the view state is the same for any batches of events and for duplicates', () => {
    const events = harbourRun()
    const kept = events.filter(({ seq }) => seq !== undefined)
    const whole = reduceRunViewState(EMPTY_RUN_VIEW_STATE, kept)
    fc.assert(
      fc.property(fc.nat(kept.length), fc.nat(kept.length), (a, b) => {
        const [first, second] = a < b ? [a, b] : [b, a]
        const pieces = [kept.slice(0, second), kept.slice(first)]
        expect(pieces.reduce(reduceRunViewState, EMPTY_RUN_VIEW_STATE)).toEqual(whole)
      }),
    )
  })

  it('the view state keeps exactly the durable events, unchanged', () => {
    const { events } = reduceRunViewState(EMPTY_RUN_VIEW_STATE, harbourRun())
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
  })

  it('the view state has the root run, which has ended', () => {
    const picture = reduceRunViewState(EMPTY_RUN_VIEW_STATE, harbourRun())
    expect(rootOf(picture)).toMatchObject({ agent: 'Newsroom', state: 'done', text: 'A ferry came.' })
    expect(rootOf(EMPTY_RUN_VIEW_STATE)).toBeUndefined()
  })
})

describe('spans of a run', () => {
  const { spans } = reduceRunViewState(EMPTY_RUN_VIEW_STATE, harbourRun())

  it('spans say when the models of a run were active', () => {
    const models = spans.get('root')?.models.map(({ from, to, turn }) => [turn, from, to])
    expect(models).toEqual([
      [1, 1000, 1100],
      [2, 1700, 1900],
    ])
  })

  it('spans say when a call was requested, started and ended, and how long it waited for a person', () => {
    expect(spans.get('child')?.calls).toEqual([{ callId: '1.1', from: 1200, startedAt: 1500, to: 1600 }])
    expect(spans.get('child')?.waits).toMatchObject([{ from: 1200, to: 1500 }])
  })

  it('spans say since when a model has been silent', () => {
    const begun = reduceRunViewState(EMPTY_RUN_VIEW_STATE, harbourRun().slice(0, 2))
    expect(begun.spans.get('root')?.thinkingSince).toBe(1000)
    expect(spans.get('root')?.thinkingSince).toBeUndefined()
  })
})

describe('transcript', () => {
  it('a transcript has texts and calls in order, and the final answer even if its deltas were missed', () => {
    const { transcripts } = reduceRunViewState(EMPTY_RUN_VIEW_STATE, harbourRun())
    expect(transcripts.get('root')).toMatchObject([
      { kind: 'text', text: 'I ask around.', isOpen: false },
      { kind: 'call', callId: '1.1' },
      { kind: 'text', text: 'A ferry came.' },
    ])
    expect(shownKinds(transcripts.get('child'))).toEqual(['call', 'note', 'text'])
  })

  it('the text of a stopped run is above the calls of its turn, live and after a reload', () => {
    const live = stoppedRun()
    const stored = live.filter(({ seq }) => seq !== undefined)
    for (const events of [live, stored]) {
      const { transcripts } = reduceRunViewState(EMPTY_RUN_VIEW_STATE, events)
      const shown = transcripts.get('root')?.filter((item) => item.kind !== 'text' || item.text !== '')
      expect(shown).toMatchObject([
        { kind: 'text', turn: 1, text: 'I ask both.', isOpen: false },
        { kind: 'call', callId: '1.1' },
        { kind: 'call', callId: '1.2' },
      ])
    }
  })

  it('an answer that is the result of a call is below the call', () => {
    const stored = stoppedRun({ outcome: 'completed' }).filter(({ seq }) => seq !== undefined)
    const { transcripts } = reduceRunViewState(EMPTY_RUN_VIEW_STATE, stored)
    expect(shownKinds(transcripts.get('root'))).toEqual(['call', 'call', 'text'])
  })

  it('a text that a composition saved before it was stopped is below the calls of its steps', () => {
    const plan = stoppedRun({ callTurn: 2 }).filter(({ seq }) => seq !== undefined)
    const { transcripts } = reduceRunViewState(EMPTY_RUN_VIEW_STATE, plan)
    expect(shownKinds(transcripts.get('root'))).toEqual(['call', 'call', 'text'])
  })

  it('a text that was stopped half-way is not followed by the one before it', () => {
    const halfWritten = stoppedRun({
      beforeEnd: [
        sampleEvent('turn-start', { ...LEAD, turn: 2 }),
        sampleEvent('text-start', { ...LEAD, turn: 2 }),
        sampleEvent('text-delta', { ...LEAD, text: 'Both sa' }),
      ],
    })
    const { transcripts } = reduceRunViewState(EMPTY_RUN_VIEW_STATE, halfWritten)
    expect(shownKinds(transcripts.get('root'))).toEqual(['text', 'call', 'call', 'text'])
  })

  it('a transcript continues a text whose start was missed', () => {
    const { transcripts } = reduceRunViewState(EMPTY_RUN_VIEW_STATE, harbourRun().slice(4, 5))
    expect(transcripts.get('root')).toEqual([{ kind: 'text', turn: 0, text: 'around.', isOpen: true }])
  })
})
