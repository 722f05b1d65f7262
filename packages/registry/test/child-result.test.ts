import { failure, NO_PROBLEMS, NO_USAGE, OUTCOMES } from '@troupe/schema'
import type { RunResult } from '@troupe/schema/ports'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { toToolResult } from '../src/index.ts'

const result = (parts: Partial<RunResult>): RunResult => ({
  runId: 'run_1',
  agent: 'Child',
  outcome: 'completed',
  text: '',
  usage: NO_USAGE,
  byAgent: {},
  unpriced: [],
  messages: [],
  ...NO_PROBLEMS,
  durationMs: 1,
  activeMs: 1,
  ...parts,
})

describe('result of a child run', () => {
  it(`the result of a child run is its answer, with the JSON value if there is one ${verifies('C16', 'C24')}`, () => {
    expect(toToolResult(result({ text: '{"time":"9"}', value: { time: '9' } }))).toEqual({
      outcome: 'completed',
      childRunId: 'run_1',
      content: [{ type: 'text', text: '{"time":"9"}' }],
      structured: { time: '9' },
    })
  })

  it(`the result of a child run says that the answer is partial ${verifies('C52')}`, () => {
    const partial = toToolResult(
      result({
        outcome: 'partial',
        text: 'so far',
        failure: failure('turns_exceeded', 'The agent used up its 3 turns.'),
      }),
    )
    expect(partial.outcome).toBe('partial')
    expect(partial.failure).toBeUndefined()
    expect(partial.content).toEqual([
      { type: 'text', text: 'so far' },
      { type: 'text', text: 'Partial answer: The agent used up its 3 turns.' },
    ])
  })

  it(`the result of a failed child run is an error with class, code and remedy, and keeps the text written so far ${verifies('A49', 'A50', 'C82', 'R5')}`, () => {
    const reason = failure('child_timeout', 'The agent Child did not finish within 50 ms.', 'Ask for less.')
    const failed = toToolResult(result({ outcome: 'timeout', text: 'half', failure: reason }))
    expect(failed.outcome).toBe('timeout')
    expect(failed.failure).toEqual(reason)
    expect(failed.content.map((part) => part.type === 'text' && part.text)).toEqual([
      'Error: The agent Child did not finish within 50 ms.',
      'Class: timeout. Code: child_timeout. What to do: Ask for less.',
      'What it had written before it ended:\nhalf',
    ])
    expect(failed.structured).toEqual({
      outcome: 'timeout',
      class: 'timeout',
      code: 'child_timeout',
      message: 'The agent Child did not finish within 50 ms.',
      remediation: 'Ask for less.',
      agent: 'Child',
      runId: 'run_1',
      partial: 'half',
    })
  })

  it('the result of a child run is a success only if the child answered', () => {
    for (const outcome of OUTCOMES) {
      const given = toToolResult(result({ outcome }))
      expect(given.outcome).toBe(outcome)
      expect(given.failure === undefined).toBe(outcome === 'completed' || outcome === 'partial')
    }
  })

  it('the result of a child run carries the messages that the parent merges', () => {
    const merge = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'seen' }] }]
    expect(toToolResult(result({ merge })).merge).toBe(merge)
  })
})
