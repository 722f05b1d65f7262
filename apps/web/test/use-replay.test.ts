import { describe, expect, it } from 'vitest'
import { lastEventText, momentAt, stepFrom } from '../src/runs/use-replay.ts'
import { harbourRun } from './harbour-run.ts'

const EVENTS = harbourRun().filter(({ seq }) => seq !== undefined)

describe('a moment of a replay', () => {
  it('has all that had happened by its time', () => {
    expect(momentAt(EVENTS, 1000).count).toBe(2)
    expect(momentAt(EVENTS, 0).count).toBe(0)
    expect(momentAt(EVENTS, 1_000_000).count).toBe(EVENTS.length)
  })

  it('is stepped event by event, those of one time too, and stays between the first and the last', () => {
    const first = stepFrom(EVENTS, momentAt(EVENTS, 1000), -1)
    expect(first).toEqual({ count: 1, at: 1000 })
    expect(stepFrom(EVENTS, first, -1)).toEqual(first)
    const last = momentAt(EVENTS, 1_000_000)
    expect(stepFrom(EVENTS, last, 1).count).toBe(EVENTS.length)
    let moment = first
    for (const [index] of EVENTS.entries()) {
      expect(moment.count).toBe(index + 1)
      moment = stepFrom(EVENTS, moment, 1)
    }
  })

  it('is named after what happened last', () => {
    expect(lastEventText(EVENTS, { at: 0, count: 0 })).toBe('')
    expect(lastEventText(EVENTS, momentAt(EVENTS, 1100))).toBe('Newsroom: tool-call agent__Reporter')
  })
})
