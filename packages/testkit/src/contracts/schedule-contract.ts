import { MAX_FIRINGS, type FiringState, type RunStore, type ScheduleTable } from '@troupe/schema/ports'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

/**
 * Registers the tests that the schedules of a RunStore must pass. `create` returns a new empty store for each
 * test, which is closed afterwards.
 */
export function scheduleContract(create: () => RunStore | Promise<RunStore>): void {
  describe('schedule contract', () => {
    let store: RunStore
    beforeEach(async () => {
      store = await create()
    })
    afterEach(async () => {
      await store.close()
    })
    const table = (): ScheduleTable => {
      const { schedules } = store
      if (schedules === undefined) throw new TypeError('the store has no schedules')
      return schedules
    }
    const waiting = (...dues: readonly number[]): Parameters<ScheduleTable['add']>[1] =>
      dues.map((due) => ({ due, runId: `run_${due}`, state: 'waiting' }))
    const claimBy = async (owner: string, due: number, now = 1000): Promise<boolean> =>
      table().claim({ schedule: 'daily', due }, { owner, now, expiredBefore: now - 60 })
    const states = async (): Promise<readonly (readonly [number, FiringState])[]> =>
      (await table().firings({ schedule: 'daily', limit: 1000 })).map(({ due, state }) => [due, state])

    it('a schedule handles due times from its registration on, and again when its definition changes', async () => {
      const daily = { name: 'daily', isPaused: false }
      await table().register({ name: 'daily', definition: 'a', now: 5 })
      await table().register({ name: 'daily', definition: 'a', now: 9 })
      expect(await table().list()).toEqual([{ ...daily, definition: 'a', handledUntil: 5 }])
      await table().register({ name: 'daily', definition: 'b', now: 7 })
      await table().register({ name: '__proto__', definition: 'c', now: 1 })
      expect(await table().list()).toEqual([
        { name: '__proto__', isPaused: false, definition: 'c', handledUntil: 1 },
        { ...daily, definition: 'b', handledUntil: 7 },
      ])
    })

    it('a paused schedule stays paused until it is resumed, and makes up for nothing that was due meanwhile', async () => {
      expect(await table().setPaused('daily', true, 1)).toBe(false)
      await table().register({ name: 'daily', definition: 'a', now: 1 })
      expect(await table().setPaused('daily', true, 5)).toBe(true)
      await table().register({ name: 'daily', definition: 'b', now: 6 })
      expect(await table().list()).toMatchObject([{ isPaused: true, handledUntil: 6 }])
      expect(await table().setPaused('daily', false, 20)).toBe(true)
      expect(await table().setPaused('daily', false, 30)).toBe(true)
      expect(await table().list()).toMatchObject([{ isPaused: false, handledUntil: 20 }])
    })

    it('a due time is added once, and handled due times never go back', async () => {
      await table().register({ name: 'daily', definition: 'a', now: 1 })
      await table().add('daily', waiting(10, 20), 20)
      expect(await claimBy('one', 10)).toBe(true)
      await table().add('daily', [...waiting(10, 30), { due: 25, runId: 'run_25', state: 'started' }], 15)
      expect(await states()).toEqual([
        [30, 'waiting'],
        [25, 'started'],
        [20, 'waiting'],
        [10, 'claimed'],
      ])
      expect(await table().list()).toMatchObject([{ handledUntil: 20 }])
    })

    it('one of many owners that claim a firing at once gets it', async () => {
      await table().add('daily', waiting(10))
      const claims = await Promise.all(['one', 'two', 'three'].map((owner) => claimBy(owner, 10)))
      expect(claims.filter(Boolean)).toHaveLength(1)
      expect(await claimBy('four', 11)).toBe(false)
    })

    it('a schedule has one claimed firing at a time', async () => {
      await table().add('daily', waiting(10, 20))
      await table().add('other', waiting(20))
      expect(await claimBy('one', 10)).toBe(true)
      expect(await claimBy('two', 20)).toBe(false)
      const claim = { owner: 'two', now: 1000, expiredBefore: 940 }
      expect(await table().claim({ schedule: 'other', due: 20 }, claim)).toBe(true)
      await table().settle({ schedule: 'daily', due: 10 }, 'one', 'started')
      expect(await claimBy('two', 20)).toBe(true)
      expect(await claimBy('two', 10)).toBe(false)
    })

    it('a claim that has expired is taken over, and its first owner can no longer settle it', async () => {
      await table().add('daily', waiting(10))
      expect(await claimBy('one', 10, 1000)).toBe(true)
      expect(await claimBy('two', 10, 1060)).toBe(false)
      expect(await claimBy('two', 10, 1061)).toBe(true)
      await table().settle({ schedule: 'daily', due: 10 }, 'one', 'failed')
      expect(await states()).toEqual([[10, 'claimed']])
      await table().settle({ schedule: 'daily', due: 10 }, 'two', 'waiting')
      expect(await claimBy('one', 10, 1062)).toBe(true)
    })

    it('firings are listed by schedule and by state, the latest first', async () => {
      await table().add('daily', waiting(10, 30))
      await table().add('other', waiting(20))
      expect(await claimBy('one', 30)).toBe(true)
      const list = async (query: Parameters<ScheduleTable['firings']>[0]): Promise<readonly number[]> =>
        (await table().firings(query)).map(({ due }) => due)
      expect(await list({ limit: 2 })).toEqual([30, 20])
      expect(await list({ states: ['waiting'], limit: 10 })).toEqual([20, 10])
      expect(await list({ states: ['waiting', 'claimed'], schedule: 'daily', limit: 10 })).toEqual([30, 10])
      expect(await list({ schedule: 'missing', limit: 10 })).toEqual([])
      expect(await table().firings({ schedule: 'other', limit: 1 })).toEqual([
        { schedule: 'other', due: 20, runId: 'run_20', state: 'waiting' },
      ])
    })

    it('the oldest settled firings of a schedule are deleted, and none that is open', async () => {
      await table().add('daily', waiting(1))
      const settled = Array.from({ length: MAX_FIRINGS + 5 }, (_, index) => ({
        due: index + 10,
        runId: `run_${index}`,
        state: 'started' as const,
      }))
      await table().add('daily', settled)
      const left = await states()
      expect(left).toHaveLength(MAX_FIRINGS + 1)
      expect(left.slice(-2)).toEqual([
        [15, 'started'],
        [1, 'waiting'],
      ])
    })
  })
}
