import { failure } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import type { RequestFailure } from '../src/api/request.ts'
import { currentFailure } from '../src/api/use-action.ts'

const UNREACHABLE: RequestFailure = {
  class: 'network',
  code: 'server_unreachable',
  message: 'The server does not answer: Failed to fetch',
}

describe('the failure of an action', () => {
  it('that the server does not answer is cleared once it has answered again', () => {
    expect(currentFailure({ failure: UNREACHABLE, returns: 2 }, 2)).toBe(UNREACHABLE)
    expect(currentFailure({ failure: UNREACHABLE, returns: 2 }, 3)).toBeUndefined()
  })

  it('that the server sent stays until the next attempt', () => {
    const refused = failure('approval_unknown', 'No.')
    expect(currentFailure({ failure: refused, returns: 2 }, 3)).toBe(refused)
  })
})
