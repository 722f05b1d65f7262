import { describe, expect, it } from 'vitest'
import { recordEvents, sampleEvent } from '../events/sample-event.ts'
import { eventEntry, type OpenedStore } from './opened-store.ts'

/** Tests which events a subscription receives. */
export function subscriptionContract(opened: OpenedStore): void {
  describe('a subscription', () => {
    it('a subscription with `after` receives stored events, then new ones, without gap or duplicate', async () => {
      for (let index = 0; index < 5; index += 1) opened.log.append(eventEntry('turn-start'))
      await opened.log.waitForCommit()
      opened.log.append(eventEntry('budget'))
      const heard = recordEvents()
      opened.log.subscribe(heard.listener, { after: 2 })
      opened.log.append(eventEntry('turn-end'))
      await opened.log.waitForCommit()
      expect(heard.events.map((event) => event.seq)).toEqual([3, 4, 5, 6, 7])
    })

    it('a subscription made while events are delivered has neither gap nor duplicate', async () => {
      const late = recordEvents()
      const leave = opened.log.subscribe((event) => {
        if (event.seq === 2) opened.log.subscribe(late.listener, { after: 0 })
      })
      for (let index = 0; index < 4; index += 1) opened.log.append(eventEntry('turn-start'))
      await opened.log.waitForCommit()
      leave()
      opened.log.append(eventEntry('turn-end'))
      await opened.log.waitForCommit()
      expect(late.events.map((event) => event.seq)).toEqual([1, 2, 3, 4, 5])
    })

    it('a subscription without `after` receives only new events', async () => {
      opened.log.append(eventEntry('turn-start'))
      await opened.log.waitForCommit()
      const heard = recordEvents()
      opened.log.subscribe(heard.listener)
      opened.log.append(eventEntry('turn-end'))
      await opened.log.waitForCommit()
      expect(heard.types()).toEqual(['turn-end'])
    })

    it('a subscription after a sequence number that does not exist yet receives the next event', async () => {
      const heard = recordEvents()
      opened.log.subscribe(heard.listener, { after: 99 })
      opened.log.append(eventEntry('turn-start'))
      await opened.log.waitForCommit()
      expect(heard.events.map((event) => event.seq)).toEqual([1])
    })

    it('a subscription without deltas receives durable events only', async () => {
      const heard = recordEvents()
      const leave = opened.log.subscribe(heard.listener, { deltas: false })
      expect(opened.log.hasDeltaListeners).toBe(false)
      const stop = opened.log.subscribe(() => undefined)
      expect(opened.log.hasDeltaListeners).toBe(true)
      opened.log.emitTransient(sampleEvent('text-delta', { text: 'a' }))
      opened.log.append(eventEntry('turn-start'))
      await opened.log.waitForCommit()
      expect(heard.types()).toEqual(['turn-start'])
      stop()
      expect(opened.log.hasDeltaListeners).toBe(false)
      leave()
    })

    it('a subscription that ended receives nothing', async () => {
      const heard = recordEvents()
      opened.log.subscribe(heard.listener)()
      opened.log.append(eventEntry('turn-start'))
      await opened.log.waitForCommit()
      expect(heard.events).toEqual([])
    })
  })
}
