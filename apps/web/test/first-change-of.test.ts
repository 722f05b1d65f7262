import type { RunEvent } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import {
  EMPTY_RUN_VIEW_STATE,
  reduceRunViewState,
  type RunViewState,
} from '../src/reducers/run-view-state.ts'
import { firstChangeOf } from '../src/runs/run-origin.tsx'
import { harbourRun } from './harbour-run.ts'

const pictureOf = (events: readonly RunEvent[]): RunViewState =>
  reduceRunViewState(EMPTY_RUN_VIEW_STATE, events)
const childEnds = (text: string): readonly RunEvent[] =>
  harbourRun().map((event) =>
    event.type === 'run-end' && event.runId === 'child'
      ? { ...event, output: { format: 'text', text } }
      : event,
  )

describe('firstChangeOf', () => {
  it('there is no first difference if the fork did the same', () => {
    expect(firstChangeOf(pictureOf(harbourRun()), pictureOf(harbourRun()))).toBeUndefined()
  })

  it('the first difference names the run as the timeline does, and contains both texts', () => {
    expect(firstChangeOf(pictureOf(childEnds('Gulls.')), pictureOf(childEnds('Ships.')))).toEqual({
      where: 'Reporter[1]: run-end, output.text',
      before: 'Gulls.',
      after: 'Ships.',
    })
  })

  it('the first difference shows long texts from where they differ', () => {
    const long = 'a'.repeat(500)
    const change = firstChangeOf(pictureOf(childEnds(`${long}b`)), pictureOf(childEnds(`${long}c`)))
    expect([change?.before, change?.after]).toEqual([`…${'a'.repeat(60)}b`, `…${'a'.repeat(60)}c`])
  })
})
