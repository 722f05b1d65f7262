import type { RunStore } from '@troupe/schema/ports'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { recordEvents } from '../events/sample-event.ts'
import { eventEntry, range, stepEntry } from './opened-store.ts'

/** The process for which a store is opened. */
export interface StoreProcess {
  readonly pid: number
  /** False if the store must regard all other processes as ended. */
  readonly othersAlive: boolean
}

/** The host that the stores of the contract must have in their leases. */
const HOST = 'here'

/** Opens a store as one process. */
type OpenAs = (process: StoreProcess) => Promise<RunStore>

/**
 * Registers the tests that every store must pass which several processes use at once. `create` returns a
 * function that opens the same new store for a process of the host `here`. The stores are closed afterwards.
 * `follows` is true if the store has `follow`.
 */
export function sharedStoreContract(
  create: () => Promise<OpenAs>,
  { follows }: { readonly follows: boolean },
): void {
  describe('shared store contract', () => {
    const opened: RunStore[] = []
    let openAs: OpenAs

    beforeEach(async () => {
      openAs = await create()
    })
    afterEach(async () => {
      for (const store of opened.splice(0)) await store.close()
    })

    const open = async (pid: number, { othersAlive = true } = {}): Promise<RunStore> => {
      const store = await openAs({ pid, othersAlive })
      opened.push(store)
      return store
    }

    leaseContract(open)
    sharingContract(open)
    if (follows) followContract(open)
  })
}

type Open = (pid: number, options?: { readonly othersAlive?: boolean }) => Promise<RunStore>

/** Tests that a root run has one writer, of all processes. */
function leaseContract(open: Open): void {
  describe('the lease of a root run', () => {
    it('the lease of a root run keeps a second process out and names its owner', async () => {
      const [store, other] = [await open(11), await open(12)]
      const log = await store.open('root', 'me')
      const refused = { code: 'store_locked', message: `The run root is in use by process 11 on ${HOST}.` }
      await expect(async () => other.open('root', 'me')).rejects.toMatchObject(refused)
      expect(await other.roots()).toMatchObject([{ open: true, owner: { pid: 11, host: HOST } }])
      await log.close()
      expect(await other.roots()).toMatchObject([{ rootRunId: 'root', open: false }])
      expect(await other.open('root', 'me')).toBeDefined()
    })

    it('the lease of a root run is given to one of several simultaneous requests', async () => {
      const stores = await Promise.all([1, 2, 3, 4].map((pid) => open(pid)))
      for (const root of ['first', 'second', 'third']) {
        const requests = await Promise.allSettled(stores.map(async (store) => store.open(root, 'me')))
        expect(requests.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      }
    })

    it('the lease of a root run holds its session until it is released or its process exits', async () => {
      const session = { sessionId: 'talk', principal: 'ann' }
      const [store, other] = [await open(11), await open(12)]
      const log = await store.open('first', 'me', { session })
      await expect(async () => other.open('second', 'me', { session })).rejects.toMatchObject({
        code: 'session_busy',
        message: 'The run first of this session has not ended.',
      })
      expect(await other.roots()).toMatchObject([{ rootRunId: 'first' }])
      const witness = await open(13, { othersAlive: false })
      await (await witness.open('third', 'me', { session })).close()
      await log.close()
      expect(await other.open('second', 'me', { session })).toBeDefined()
    })

    it('one of several simultaneous root runs of a session is opened', async () => {
      const session = { sessionId: 'talk', principal: 'ann' }
      const stores = await Promise.all([1, 2, 3].map((pid) => open(pid)))
      const requests = await Promise.allSettled(
        stores.map(async (store, index) => store.open(`run ${index}`, 'me', { session })),
      )
      expect(requests.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      expect(await stores[0]?.roots()).toHaveLength(1)
    })

    it('the lease of an exited process is free immediately, and its late entries are not written', async () => {
      const [store, other] = [await open(11), await open(12, { othersAlive: false })]
      const late = await store.open('root', 'me')
      const kept = await store.open('kept', 'me')
      late.append(eventEntry('turn-start'))
      await late.waitForCommit()
      expect(await other.roots()).toMatchObject([{ open: false }, { open: false }])
      const log = await other.open('root', 'me')
      const heard = recordEvents()
      late.subscribe(heard.listener)
      late.append({ ...eventEntry('turn-end'), step: { key: 'late', value: 1 } })
      kept.append(eventEntry('turn-start'))
      for (let attempt = 0; attempt < 2; attempt += 1)
        await expect(async () => late.waitForCommit()).rejects.toMatchObject({ code: 'store_lease_lost' })
      expect(heard.events).toEqual([])
      log.append(eventEntry('run-end'))
      await log.waitForCommit()
      await kept.waitForCommit()
      expect(await store.events('root')).toMatchObject([
        { seq: 1, type: 'turn-start' },
        { seq: 2, type: 'run-end' },
      ])
      expect((await other.steps('root', 'run')).size).toBe(0)
      expect(await other.events('kept')).toHaveLength(1)
      await late.close()
      expect(await store.roots()).toMatchObject([{ open: true, owner: { pid: 12 } }, { open: true }])
    })
  })
}

/** Tests what a process sees of the run trees of another one. */
function sharingContract(open: Open): void {
  describe('a store of several processes', () => {
    it('a store of several processes shows each of them what is committed', async () => {
      const [store, other] = [await open(11), await open(12)]
      const log = await store.open('root', 'me')
      log.append(eventEntry('turn-start'))
      log.append(stepEntry('begin', { n: 1 }))
      await log.waitForCommit()
      expect(await other.events('root')).toMatchObject([{ seq: 1, type: 'turn-start' }])
      expect(Object.fromEntries(await other.steps('root', 'run'))).toEqual({ begin: { n: 1 } })
      expect(await other.list({ limit: 5 })).toMatchObject([{ rootRunId: 'root', lastSeq: 1, open: true }])
    })

    it('a store of several processes does not purge what another one has open', async () => {
      const [store, other] = [await open(11), await open(12)]
      const log = await store.open('root', 'me')
      log.append(eventEntry('turn-start'))
      await log.waitForCommit()
      expect(await other.purge(['root'])).toBe(0)
      log.append(eventEntry('run-end'))
      await log.waitForCommit()
      expect(await other.events('root')).toHaveLength(2)
      await log.close()
      expect(await other.purge(['root'])).toBe(1)
      expect(await store.roots()).toEqual([])
      expect(await store.events('root')).toEqual([])
      const again = await store.open('root', 'me')
      again.append(eventEntry('turn-start'))
      await again.waitForCommit()
      expect(await other.events('root')).toMatchObject([{ seq: 1 }])
      expect((await other.steps('root', 'run')).size).toBe(0)
    })
  })
}

/** Tests that a process follows the run trees of another one. */
function followContract(open: Open): void {
  describe('a follower', () => {
    const fail = (thrown: unknown): void => {
      throw thrown
    }

    it('a follower receives the events of another process once and in order', async () => {
      const [store, other] = [await open(11), await open(12)]
      const log = await store.open('root', 'me')
      for (let index = 0; index < 700; index += 1) log.append(eventEntry('turn-start'))
      await log.waitForCommit()
      const [all, late] = [recordEvents(), recordEvents()]
      other.follow?.('root', { after: 0 }, all.listener, fail)
      other.follow?.('root', { after: 698 }, late.listener, fail)
      for (let index = 0; index < 50; index += 1) {
        log.append(eventEntry('turn-end'))
        await log.waitForCommit()
      }
      await expect.poll(() => late.events.at(-1)?.seq).toBe(750)
      await expect.poll(() => all.events.at(-1)?.seq).toBe(750)
      expect(all.events.map(({ seq }) => seq)).toEqual(range(1, 750))
      expect(late.events.map(({ seq }) => seq)).toEqual(range(699, 750))
    })

    it('a follower receives the events of a run that starts later, and nothing after it has stopped', async () => {
      const [store, other] = [await open(11), await open(12)]
      const [heard, stopped] = [recordEvents(), recordEvents()]
      other.follow?.('root', { after: 0 }, heard.listener, fail)
      const stop = other.follow?.('root', { after: 0 }, stopped.listener, fail)
      const log = await store.open('root', 'me')
      log.append(eventEntry('turn-start'))
      await expect.poll(() => stopped.types()).toEqual(['turn-start'])
      stop?.()
      log.append(eventEntry('run-end'))
      await expect.poll(() => heard.types()).toEqual(['turn-start', 'run-end'])
      expect(stopped.types()).toEqual(['turn-start'])
    })

    it('a follower receives the events of its own process, too', async () => {
      const store = await open(11)
      const log = await store.open('root', 'me')
      const heard = recordEvents()
      store.follow?.('root', { after: 0 }, heard.listener, fail)
      log.append(eventEntry('run-end'))
      await expect.poll(() => heard.types()).toEqual(['run-end'])
    })

    it('a follower that throws does not keep events from others', async () => {
      const store = await open(11)
      const heard = recordEvents()
      store.follow?.(
        'root',
        { after: 0 },
        () => {
          throw new TypeError('broken listener')
        },
        fail,
      )
      store.follow?.('root', { after: 0 }, heard.listener, fail)
      const log = await store.open('root', 'me')
      log.append(eventEntry('run-end'))
      await expect.poll(() => heard.types()).toEqual(['run-end'])
    })
  })
}
