import { failure } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import { withRetryTime, type RequestFailure } from '../src/api/client.ts'
import { currentFailure } from '../src/api/use-request.ts'

const UNREACHABLE: RequestFailure = {
  class: 'network',
  code: 'server_unreachable',
  message: 'The server does not respond: Failed to fetch',
}

describe('failure of an action', () => {
  it('a failure to reach the server is cleared once the server has responded again', () => {
    expect(currentFailure({ failure: UNREACHABLE, returns: 2 }, 2)).toBe(UNREACHABLE)
    expect(currentFailure({ failure: UNREACHABLE, returns: 2 }, 3)).toBeUndefined()
  })

  it('a failure that the server sent stays until the next attempt', () => {
    const refused = failure('approval_unknown', 'No.')
    expect(currentFailure({ failure: refused, returns: 2 }, 3)).toBe(refused)
  })
})

describe('remediation of a rejected request', () => {
  const busy = failure('server_busy', 'The server is shutting down and does not accept new work.')
  const remediationAt = (retryAfterMs?: number) => withRetryTime(busy, retryAfterMs).remediation

  it('the remediation says in seconds when to try again, without naming a header', () => {
    expect(remediationAt(20_000)).toBe('Try again in 20 seconds.')
    expect(remediationAt(1000)).toBe('Try again in 1 second.')
    expect(remediationAt()).toBe('Try again later.')
  })

  it('the remediation says the date when to try again, and keeps the other advice', () => {
    const limited = failure('spending_limited', 'Too much.')
    const { remediation } = withRetryTime(limited, 24 * 60 * 60_000)
    expect(remediation).toMatch(/^Try again after .*\d{4}.*, or raise `server\.limits\.spending`\.$/u)
  })

  it('the remediation is unchanged if it names no header', () => {
    const unknown = failure('run_unknown', 'No.')
    expect(withRetryTime(unknown, 20_000)).toBe(unknown)
  })
})
