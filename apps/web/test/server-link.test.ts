import { expect, it } from 'vitest'
import { createServerLink } from '../src/api/server-link.ts'

it('a link to the server is lost with the first request without an answer, and counts each return once', () => {
  const link = createServerLink()
  const seen: string[] = []
  const leave = link.subscribe(() => {
    const { isLost, returns } = link.getState()
    seen.push(`${isLost ? 'lost' : 'there'} ${returns}`)
  })
  link.reportReachable()
  link.reportUnreachable()
  link.reportUnreachable()
  link.reportReachable()
  link.reportReachable()
  link.reportUnreachable()
  leave()
  link.reportReachable()
  expect(seen).toEqual(['lost 0', 'there 1', 'lost 1'])
  expect(link.getState()).toEqual({ isLost: false, returns: 2 })
})
