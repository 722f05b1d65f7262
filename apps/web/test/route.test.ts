import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hrefOf, NO_FILTER, parseRoute, type PageRoute } from '../src/route/route.ts'

const name = fc.string({ minLength: 1 }).filter((text) => text !== '+')
const route: fc.Arbitrary<PageRoute> = fc.oneof(
  fc.record({ page: fc.constant('chat' as const), agent: name, sessionId: name }),
  fc.record({ page: fc.constant('run' as const), runId: name }),
  fc.record({ page: fc.constant('agent' as const), agent: name }),
  fc.record({ page: fc.constant('tool' as const), agent: name, tool: name }),
  fc.record({ page: fc.constant('tool' as const), agent: name }),
  fc.record({ page: fc.constant('trial' as const), agent: name, tool: name, runId: name }),
  fc.record({ page: fc.constant('compare' as const), left: name, right: name }),
  fc.record({ page: fc.constant('eval' as const), id: name, base: name }),
  fc.record({ page: fc.constant('eval' as const), id: name }),
  fc.record({ page: fc.constant('eval-run' as const), id: name, runId: name }),
  fc.constantFrom<PageRoute>(
    { page: 'evals' },
    { page: 'runs' },
    { page: 'approvals' },
    { page: 'agents' },
    { page: 'tools' },
  ),
)

describe('page addresses', () => {
  it('the address of a page leads back to the page, whatever the names of agents and tools', () => {
    fc.assert(
      fc.property(route, (one) => {
        expect(parseRoute(hrefOf(one))).toEqual(one)
      }),
    )
  })

  it('the address of a run is #/runs/ and its id', () => {
    expect(hrefOf({ page: 'run', runId: 'run_1' })).toBe('#/runs/run_1')
  })

  it('the address of the list of runs contains the filter, which survives a reload', () => {
    const filter = { text: 'ships & gulls/50%', agent: 'Clerk', state: 'failed' } as const
    const address = hrefOf({ page: 'runs', filter })
    expect(address).toBe('#/runs?q=ships+%26+gulls%2F50%25&agent=Clerk&state=failed')
    expect(parseRoute(address)).toEqual({ page: 'runs', filter })
    expect(hrefOf({ page: 'runs', filter: NO_FILTER })).toBe('#/runs')
    expect(parseRoute('#/runs?state=sunken')).toEqual({ page: 'runs', filter: NO_FILTER })
  })

  it('an unknown address leads to the page for unknown addresses', () => {
    expect(parseRoute('#/nowhere')).toEqual({ page: 'unknown' })
    expect(parseRoute('#/runs/a/b/c/d')).toEqual({ page: 'unknown' })
    expect(parseRoute('')).toEqual({ page: 'chat' })
    expect(parseRoute('#/runs/%E0%A4%A')).toEqual({ page: 'run', runId: '%E0%A4%A' })
  })
})
