import { NO_USAGE } from '@troupe/schema'
import { sampleEvent } from '@troupe/testkit/internal'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { AnswerableContext } from '../src/api/answerable.ts'
import { EMPTY_RUN_VIEW_STATE, reduceRunViewState, rootOf } from '../src/reducers/run-view-state.ts'
import { TranscriptView } from '../src/timeline/transcript-view.tsx'
import { rowText } from '../src/waterfall/row-text.ts'
import { timelineTree } from '../src/waterfall/timeline-tree.ts'
import { numbered } from './harbour-run.ts'

const ROOT = { runId: 'root', agent: 'Lead', instance: 'Lead', depth: 0 }
const COST = { cost: 0.001, tokens: { ...NO_USAGE, input: 10, output: 5, modelCalls: 1, micros: 1000 } }

/** An open approval, as the server lists it. */
const LISTED = {
  approvalId: 'root:1.1#1',
  runId: 'root',
  agent: 'Lead',
  instance: 'Lead',
  path: ['Lead'],
  toolName: 'publish',
  args: {},
  time: 100,
  expiresAt: 1000,
  input: '',
  startedAt: 0,
  cost: 0,
}

/** Returns the events of a stopped run with five children, each with a child of its own, which all cost the same. */
function stoppedFanOut() {
  const numbers = [1, 2, 3, 4, 5]
  const calls = numbers.map((index) => ({
    callId: `1.${index}`,
    toolName: 'agent__Scout',
    childInstance: `Scout[${index}]`,
  }))
  const scouts = numbers.map((index) => ({
    runId: `scout-${index}`,
    parentRunId: 'root',
    agent: 'Scout',
    instance: `Scout[${index}]`,
    depth: 1,
  }))
  const diggers = scouts.map((scout) => ({
    runId: `${scout.runId}-digger`,
    parentRunId: scout.runId,
    agent: 'Digger',
    instance: 'Digger[1]',
    depth: 2,
  }))
  const call = { time: 100, source: 'agent', ordinal: 1 } as const
  return numbered([
    sampleEvent('run-start', { ...ROOT, time: 0 }),
    sampleEvent('turn-start', { ...ROOT, time: 0 }),
    ...calls.map((one) => sampleEvent('tool-call', { ...ROOT, ...call, ...one })),
    ...scouts.map((scout, index) =>
      sampleEvent('run-start', { ...scout, callId: `1.${index + 1}`, time: 100 }),
    ),
    ...scouts.map((scout) => sampleEvent('usage', { ...scout, time: 150, ...COST })),
    ...scouts.map((scout) =>
      sampleEvent('tool-call', {
        ...scout,
        ...call,
        callId: '1.1',
        toolName: 'agent__Digger',
        childInstance: 'Digger[1]',
      }),
    ),
    ...diggers.map((digger) => sampleEvent('run-start', { ...digger, callId: '1.1', time: 200 })),
    ...diggers.map((digger) => sampleEvent('usage', { ...digger, time: 250, ...COST })),
    ...[...diggers, ...scouts].map((child) =>
      sampleEvent('run-end', { ...child, time: 1100, durationMs: 1000, outcome: 'cancelled' }),
    ),
    ...calls.map((one) =>
      sampleEvent('tool-result', {
        ...ROOT,
        ...one,
        time: 1100,
        source: 'agent',
        outcome: 'cancelled',
        durationMs: 0,
      }),
    ),
    sampleEvent('run-end', { ...ROOT, time: 1100, durationMs: 1100, outcome: 'cancelled' }),
  ])
}

describe('view of a transcript', () => {
  it('calls that were stopped have the cost and the duration of their rows in the timeline', () => {
    const viewState = reduceRunViewState(EMPTY_RUN_VIEW_STATE, stoppedFanOut())
    const run = rootOf(viewState)
    const group = timelineTree(viewState).roots[0]?.children[0]
    if (run === undefined || group === undefined) throw new Error('The run has no group of calls.')
    const html = renderToStaticMarkup(createElement(TranscriptView, { run, viewState }))
    const { detail, cost } = rowText(group)
    expect([detail, cost]).toEqual(['5 stopped · median 1.0 s', '$0.0100'])
    expect(html).toContain(`${detail} · ${cost}`)
  })

  it('a call waits for the user only if its approval is among those that can be answered in the page', () => {
    const viewState = reduceRunViewState(
      EMPTY_RUN_VIEW_STATE,
      numbered([
        sampleEvent('run-start', { ...ROOT, time: 0 }),
        sampleEvent('turn-start', { ...ROOT, time: 0 }),
        sampleEvent('tool-call', { ...ROOT, time: 100, callId: '1.1', toolName: 'publish' }),
        sampleEvent('approval-request', {
          ...ROOT,
          time: 100,
          callId: '1.1',
          toolName: 'publish',
          approvalId: 'root:1.1#1',
        }),
      ]),
    )
    const run = rootOf(viewState)
    if (run === undefined) throw new Error('There is no run.')
    const stateFor = (approvalId: string) => {
      const value = [{ ...LISTED, approvalId }]
      const transcript = createElement(TranscriptView, { run, viewState })
      const html = renderToStaticMarkup(createElement(AnswerableContext, { value }, transcript))
      return /aria-label="(waits[^"]*)"/u.exec(html)?.[1]
    }
    expect(stateFor('root:1.1#1')).toBe('waits for you')
    expect(stateFor('other:1.1#1')).toBe('waits')
  })

  it('the row of an agent that another one hands over to has its name once, and the input of its row in the timeline', () => {
    const handoff = { callId: '1.1', toolName: 'agent__Scout', childInstance: 'Scout[1]' }
    const scout = { runId: 'scout', parentRunId: 'root', agent: 'Scout', instance: 'Scout[1]', depth: 1 }
    const called = numbered([
      sampleEvent('run-start', { ...ROOT, time: 0, input: 'Find the harbour.' }),
      sampleEvent('turn-start', { ...ROOT, time: 0 }),
      sampleEvent('tool-call', {
        ...ROOT,
        ...handoff,
        time: 100,
        source: 'agent',
        args: { agent: 'Scout' },
      }),
      sampleEvent('run-start', { ...scout, callId: '1.1', time: 200, input: 'Find the harbour.' }),
    ])
    expect(callRowOf(called.slice(0, -1))).toEqual({ texts: ['Scout[1]', '', ''], detail: '' })
    expect(callRowOf(called)).toEqual({
      texts: ['Scout[1]', 'Find the harbour.', ''],
      detail: 'Find the harbour.',
    })
  })
})

/** Returns the texts of the only call in a transcript, and the input of its row in the timeline. */
function callRowOf(events: ReturnType<typeof numbered>) {
  const viewState = reduceRunViewState(EMPTY_RUN_VIEW_STATE, events)
  const run = rootOf(viewState)
  const row = timelineTree(viewState).roots[0]?.children[0]
  if (run === undefined || row === undefined) throw new Error('The run has no call.')
  const html = renderToStaticMarkup(createElement(TranscriptView, { run, viewState }))
  const texts = [...html.matchAll(/<(?:span|bdi)[^>]*>([^<]*)<\/(?:span|bdi)>/gu)].map(([, text]) => text)
  return { texts, detail: rowText(row).detail }
}
