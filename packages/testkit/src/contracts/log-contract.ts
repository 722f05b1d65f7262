import { describe, expect, it } from 'vitest'
import { recordEvents, sampleEvent } from '../events/sample-event.ts'
import { settle } from '../clock/fake-clock.ts'
import {
  eventEntry,
  eventPosition,
  flushed,
  range,
  stepEntry,
  stepsOf,
  type OpenedStore,
} from './opened-store.ts'

/** Tests what a log emits to its listeners, and when. */
export function logContract(opened: OpenedStore): void {
  describe('a log', () => {
    it('a log delivers nothing before it is committed, then everything in order', async () => {
      const heard = recordEvents()
      opened.log.subscribe(heard.listener)
      opened.log.append(eventEntry('turn-start'))
      opened.log.append(eventEntry('turn-end'))
      expect(heard.events).toEqual([])
      await opened.log.waitForCommit()
      expect(heard.events.map(eventPosition)).toEqual(['turn-start 1', 'turn-end 2'])
    })

    it('a log numbers durable events from 1 without gaps, whatever else is written', async () => {
      const heard = recordEvents()
      opened.log.subscribe(heard.listener)
      for (let index = 0; index < 20; index += 1) {
        opened.log.append(stepEntry(`llm:${index}`, index))
        opened.log.append(eventEntry('turn-start'))
        opened.log.emitTransient(sampleEvent('text-delta', { text: `${index}` }))
      }
      await opened.log.waitForCommit()
      await flushed(opened.log)
      expect(heard.events.flatMap((event) => event.seq ?? [])).toEqual(range(1, 20))
    })

    it('a log delivers transient events after earlier entries, with the last sequence number', async () => {
      const heard = recordEvents()
      opened.log.subscribe(heard.listener)
      opened.log.append(eventEntry('turn-start'))
      opened.log.emitTransient(sampleEvent('text-delta', { text: 'a' }))
      opened.log.append(eventEntry('turn-end'))
      opened.log.emitTransient(sampleEvent('log', { text: 'b' }))
      await opened.log.waitForCommit()
      await flushed(opened.log)
      expect(heard.events.map(eventPosition)).toEqual([
        'turn-start 1',
        'text-delta after 1',
        'turn-end 2',
        'log after 2',
      ])
    })

    it('a log delivers a transient event immediately if nothing is pending', () => {
      const heard = recordEvents()
      opened.log.subscribe(heard.listener)
      opened.log.emitTransient(sampleEvent('text-delta', { text: 'a' }))
      expect(heard.events.map(eventPosition)).toEqual(['text-delta after 0'])
    })

    it('a log has no promise to wait for when everything is committed', async () => {
      expect(opened.log.waitForCommit()).toBeUndefined()
      opened.log.append(eventEntry('turn-start'))
      await opened.log.waitForCommit()
      expect(opened.log.waitForCommit()).toBeUndefined()
    })

    it('a log commits many entries in slices, so that the event loop can turn in between', async () => {
      const heard = recordEvents()
      opened.log.subscribe(heard.listener)
      for (let index = 0; index < 500; index += 1) opened.log.append(eventEntry('turn-start'))
      const seenAtTurn: number[] = []
      const all = opened.log.waitForCommit()
      let done = false
      const watch = (): void => {
        seenAtTurn.push(heard.events.length)
        if (!done) setImmediate(watch)
      }
      setImmediate(watch)
      await all
      done = true
      expect(heard.events).toHaveLength(500)
      const commits = [...seenAtTurn, 500].map((seen, turn, all) => seen - (all[turn - 1] ?? 0))
      expect(Math.max(...commits)).toBeLessThanOrEqual(300)
    })

    it('a log continues when a listener throws', async () => {
      const heard = recordEvents()
      opened.log.subscribe(() => {
        throw new TypeError('broken listener')
      })
      opened.log.subscribe(heard.listener)
      opened.log.append(eventEntry('turn-start'))
      opened.log.append(eventEntry('turn-end'))
      await opened.log.waitForCommit()
      expect(heard.types()).toEqual(['turn-start', 'turn-end'])
    })

    it('a log keeps the order when a listener writes', async () => {
      const heard = recordEvents()
      opened.log.subscribe((event) => {
        if (event.seq === 1) opened.log.append(eventEntry('turn-end'))
        if (event.seq === 1) opened.log.emitTransient(sampleEvent('log', { text: 'from a listener' }))
      })
      opened.log.subscribe(heard.listener)
      opened.log.append(eventEntry('turn-start'))
      opened.log.append(eventEntry('budget'))
      await flushed(opened.log)
      expect(heard.events.map(eventPosition)).toEqual([
        'turn-start 1',
        'budget 2',
        'turn-end 3',
        'log after 3',
      ])
    })
  })
}

/** Tests a log whose root run is suspended and resumed later. */
export function suspendedLogContract(opened: OpenedStore): void {
  describe('a detached log', () => {
    it('a detached log keeps earlier entries and delivers later events without a sequence number', async () => {
      const heard = recordEvents()
      opened.log.subscribe(heard.listener)
      opened.log.append({ ...eventEntry('turn-start'), step: { key: 'begin', value: 1 } })
      opened.log.detach?.()
      opened.log.append({ ...eventEntry('run-end'), step: { key: 'end', value: 2 } })
      await opened.log.waitForCommit()
      await settle(2)
      expect(heard.types()).toEqual(['turn-start', 'run-end'])
      expect(heard.events[1]).toMatchObject({ after: 1 })
      expect(heard.events[1]?.seq).toBeUndefined()
      expect(await stepsOf(opened.log, 'run')).toEqual({ begin: 1 })
    })

    it('a detached log still saves the cost of a model call that was in flight', async () => {
      const heard = recordEvents()
      opened.log.subscribe(heard.listener)
      opened.log.append(eventEntry('turn-start'))
      opened.log.detach?.()
      opened.log.append(eventEntry('usage'))
      opened.log.append(eventEntry('run-end'))
      await opened.log.waitForCommit()
      await settle(2)
      expect(heard.events.map(eventPosition)).toEqual(['turn-start 1', 'usage 2', 'run-end after 2'])
    })
  })
}

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
