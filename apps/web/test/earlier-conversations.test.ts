import type { RunSummary } from '@troupe/client'
import { describe, expect, it } from 'vitest'
import { conversationsOf } from '../src/chat/conversation-start.tsx'

function run(agent: string, sessionId: string, startedAt: number, input: string): RunSummary {
  return { runId: `run_${startedAt}`, agent, state: 'completed', sessionId, startedAt, input, detail: 'full' }
}

describe('earlier conversations', () => {
  it('conversations are named after their first message, the most recently used first', () => {
    const runs = [
      run('Lead', 'a', 4, 'And now?'),
      run('Clerk', 'c', 3, 'Count.'),
      run('Lead', 'b', 2, 'Other things.'),
      run('Lead', 'a', 1, 'Hello.'),
    ]
    expect(conversationsOf(runs, 'Lead')).toEqual([
      { sessionId: 'a', title: 'Hello.', changedAt: 4, messages: 2 },
      { sessionId: 'b', title: 'Other things.', changedAt: 2, messages: 1 },
    ])
    expect(conversationsOf(runs, 'Nobody')).toEqual([])
  })
})
