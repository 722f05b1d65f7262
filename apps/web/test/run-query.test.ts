import { describe, expect, it } from 'vitest'
import { toRunQuery } from '../src/api/runs.ts'
import { NO_FILTER } from '../src/route/route.ts'

describe('the filter of runs as a query', () => {
  const query = (filter: Partial<typeof NO_FILTER>) => toRunQuery({ ...NO_FILTER, ...filter })

  it('has only what is looked for, within what the server takes', () => {
    expect(query({})).toEqual({})
    expect(query({ text: ' ships ', agent: 'Clerk' })).toEqual({ q: 'ships', agent: 'Clerk' })
    expect(query({ text: '  ' })).toEqual({})
    expect(query({ text: 'x'.repeat(500) })['q']).toHaveLength(200)
  })

  it('has every state in exactly one of its groups', () => {
    const states = (['open', 'answered', 'failed'] as const).flatMap((state) =>
      query({ state })['state']?.split(','),
    )
    expect(states.map(String).toSorted((a, b) => a.localeCompare(b))).toEqual([
      'budget',
      'cancelled',
      'completed',
      'damaged',
      'denied',
      'failed',
      'interrupted',
      'partial',
      'queued',
      'running',
      'timeout',
      'waiting',
    ])
  })
})
