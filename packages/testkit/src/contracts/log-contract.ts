import { describe, expect, it } from 'vitest'
import { recordEvents, sampleEvent } from '../events/sample-event.ts'
import {
  eventEntry,
  eventPosition,
  flushed,
  range,
  stepEntry,
  stepsOf,
  type OpenedStore,
} from './opened-store.ts'
import { settle } from '../clock/fake-clock.ts'

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
