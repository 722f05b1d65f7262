import type { CallView } from '@troupe/timeline'
import { describe, expect, it } from 'vitest'
import { groupTranscript } from '../src/timeline/transcript-groups.ts'
import { durationText } from '../src/ui/format.ts'
import { summaryText } from '../src/waterfall/row-text.ts'

const call = (callId: string, turn: number, toolName: string): CallView => ({
  callId,
  correlationId: `root:${callId}`,
  toolName,
  source: 'runtime',
  args: {},
  turn,
  state: 'done',
  attempts: 1,
})

describe('grouped transcript', () => {
  it('forty calls of the same agent are one entry, and calls on both sides of a text are not joined', () => {
    const calls = Array.from({ length: 43 }, (_, index) => ({
      ...call(`${index}`, index < 40 ? 1 : 2, 'agent__Scout'),
      childInstance: `Scout[${index + 1}]`,
    }))
    const items = calls.map(({ turn, callId }) => ({ kind: 'call' as const, turn, callId }))
    const text = { kind: 'text' as const, turn: 2, text: 'Three are missing.', isOpen: false }
    const entries = groupTranscript([...items.slice(0, 40), text, ...items.slice(40)], calls)
    expect(entries.map(({ kind }) => kind)).toEqual(['calls', 'item', 'call', 'call', 'call'])
    expect(entries[0]).toMatchObject({ name: 'Scout', calls: { length: 40 } })
  })

  it('a call that the run does not know, and an empty text, have no entry', () => {
    const empty = { kind: 'text' as const, turn: 1, text: '', isOpen: true }
    expect(groupTranscript([{ kind: 'call', turn: 1, callId: 'x' }, empty], [])).toEqual([])
  })
})

describe('texts of the timeline', () => {
  it('the numbers of a group leave out what there is none of', () => {
    const none = { count: 40, completed: 0, failed: 0, stopped: 0, atWork: 0, medianMs: undefined }
    expect(summaryText({ ...none, completed: 38, failed: 1, atWork: 1, medianMs: 4700 }, 60_000)).toBe(
      '38 ✓ 1 ✗ 1 at work · median 4.7 s · $0.0600',
    )
    expect(summaryText({ ...none, stopped: 40 })).toBe('40 stopped')
  })

  it('the duration of a run that waited is the whole time, with the waiting time', () => {
    expect(durationText({ durationMs: 124_000, activeMs: 7400 })).toBe('2 m 04 s, of which 1 m 56 s waiting')
    expect(durationText({ durationMs: 7400, activeMs: 7390 })).toBe('7.4 s')
    expect(durationText({ durationMs: 7400 })).toBe('7.4 s')
    expect(durationText({})).toBeUndefined()
  })
})
