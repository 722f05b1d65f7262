import { fakeClock } from '@troupe/testkit/internal'
import { expect, it } from 'vitest'
import { createEventFeeds } from '../src/feeds/event-feeds.ts'
import { createRunHub } from '../src/feeds/run-hub.ts'

it('an event stream that could not be opened does not count against the limit of its principal', () => {
  const hub = createRunHub()
  let isBroken = true
  const feeds = createEventFeeds({
    runService: {
      join(runId, ring) {
        if (isBroken) throw new Error('The run cannot be joined.')
        return hub.join(runId, ring)
      },
      publish: hub.publish,
      isLive: () => true,
    },
    store: { events: async () => [], steps: () => new Map() },
    clock: fakeClock(),
    maxFollowers: 1,
  })
  const follow = () => feeds.follow({ runId: 'root', after: 0 }, 'ada')

  expect(follow).toThrow('The run cannot be joined.')
  isBroken = false
  const source = follow()
  expect(follow).toThrow(expect.objectContaining({ code: 'rate_limited' }))
  source.close()
  expect(follow).not.toThrow()
  feeds.close()
})
