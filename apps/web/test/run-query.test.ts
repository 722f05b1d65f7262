import { describe, expect, it } from 'vitest'
import { toRunListOptions } from '../src/api/queries.ts'
import { NO_FILTER } from '../src/route/route.ts'

describe('run query', () => {
  const query = (filter: Partial<typeof NO_FILTER>) => toRunListOptions({ ...NO_FILTER, ...filter })

  it('the query contains only the filters that are set, within the limits of the server', () => {
    expect(query({})).toEqual({})
    expect(query({ text: ' ships ', agent: 'Clerk' })).toEqual({ q: 'ships', agent: 'Clerk' })
    expect(query({ text: '  ' })).toEqual({})
    expect(query({ text: 'x'.repeat(500) })['q']).toHaveLength(200)
  })

  it('every run state is in exactly one group of the filter', () => {
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
