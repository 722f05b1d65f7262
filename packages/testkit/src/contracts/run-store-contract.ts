import type { RunStore, RunTreeLog } from '@troupe/schema/ports'
import { settle } from '../clock/fake-clock.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { persistenceContract, rootContract } from './persistence-contract.ts'
import { logContract, suspendedLogContract, subscriptionContract } from './log-contract.ts'
import { labelContract } from './label-contract.ts'
import { sessionTableContract } from './session-contract.ts'
import { listContract } from './list-contract.ts'
import { eventEntry, stepEntry, stepsOf, type OpenedStore } from './opened-store.ts'

/**
 * Registers the tests that every RunStore must pass. `create` returns a new empty store for each test, which
 * is closed afterwards.
 */
export function runStoreContract(create: () => RunStore | Promise<RunStore>): void {
  describe('run store contract', () => {
    let store: RunStore
    let log: RunTreeLog
    const opened: OpenedStore = {
      get store() {
        return store
      },
      get log() {
        return log
      },
    }

    beforeEach(async () => {
      store = await create()
      log = await store.open('root', 'owner')
    })
    afterEach(async () => {
      await store.close()
    })

    logContract(opened)
    stepsContract(opened)
    suspendedLogContract(opened)
    subscriptionContract(opened)
    rootContract(opened)
    sessionContract(opened)
    persistenceContract(opened)
    listContract(opened)
    labelContract(opened)
    sessionTableContract(opened)
  })
}

/** Tests that a session has at most one open root run. */
function sessionContract(opened: OpenedStore): void {
  describe('a session', () => {
    const session = { sessionId: 'talk', principal: 'ann' }

    it('a session has one open root run at a time', async () => {
      const first = await opened.store.open('first', 'owner', { session })
      await expect(async () => opened.store.open('second', 'owner', { session })).rejects.toMatchObject({
        code: 'session_busy',
      })
      expect((await opened.store.roots()).map(({ rootRunId }) => rootRunId)).toEqual(['root', 'first'])
      await opened.store.open('elsewhere', 'owner', { session: { ...session, principal: 'bob' } })
      await first.close()
      const second = await opened.store.open('second', 'owner', { session })
      await expect(async () => opened.store.open('first', 'owner')).rejects.toMatchObject({
        code: 'session_busy',
      })
      await second.close()
      await (await opened.store.open('first', 'owner')).close()
    })

    it('a session lists its root runs in the order in which they started', async () => {
      for (const [root, sessionId, principal] of [
        ['1', 'talk', 'ann'],
        ['2', 'talk', 'bob'],
        ['3', 'chat', 'ann'],
        ['4', 'talk', 'ann'],
      ] as const)
        await (await opened.store.open(root, 'owner', { session: { sessionId, principal } })).close()
      const ids = async (filter: Parameters<RunStore['roots']>[0]): Promise<readonly string[]> =>
        (await opened.store.roots(filter)).map(({ rootRunId }) => rootRunId)
      // a root run keeps its place when it is opened again
      await (await opened.store.open('1', 'owner')).close()
      expect(await ids({ principal: 'ann' })).toEqual(['1', '3', '4'])
      expect(await ids({ principal: 'ann', sessionId: 'talk' })).toEqual(['1', '4'])
      expect(await ids({ principal: 'eve' })).toEqual([])
      expect(await ids({ sessionId: 'talk' })).toEqual(['1', '2', '4'])
      expect(await ids({ principal: 'ann', rootRunId: '3' })).toEqual(['3'])
      expect(await ids({ rootRunId: '3' })).toEqual(['3'])
      expect(await ids({ sessionId: 'talk', rootRunId: '3' })).toEqual([])
      expect(await ids({ principal: 'bob', rootRunId: '3' })).toEqual([])
      expect(await ids({ principal: 'ann', rootRunId: '5' })).toEqual([])
      expect(await ids({ ...session, rootRunId: '3' })).toEqual([])
      expect((await opened.store.roots(session)).map((root) => root.session)).toEqual([session, session])
    })
  })
}

/** Tests the steps from which a run is resumed. */
function stepsContract(opened: OpenedStore): void {
  describe('steps', () => {
    it('steps are available by run once committed', async () => {
      opened.log.append({ runId: 'a', step: { key: 'begin', value: { n: 1 } } })
      opened.log.append({ runId: 'b', step: { key: 'begin', value: null } })
      await opened.log.waitForCommit()
      expect(await stepsOf(opened.log, 'a')).toEqual({ begin: { n: 1 } })
      expect(await stepsOf(opened.log, 'b')).toEqual({ begin: null })
      expect(await stepsOf(opened.log, 'c')).toEqual({})
    })

    it('steps are written together with their event', async () => {
      const seen = new Promise((resolve) => {
        opened.log.subscribe(() => resolve(stepsOf(opened.log, 'run')))
      })
      opened.log.append({ ...eventEntry('run-end'), step: { key: 'end', value: true } })
      const before = opened.log.steps('run')
      // a store that reads without waiting cannot have committed yet
      expect(before instanceof Map ? before.size : 0).toBe(0)
      for (let steps = await before; steps.size === 0; steps = await opened.log.steps('run')) {
        const events = await opened.store.events('root')
        // read after the events, which must not be visible without the step
        expect((await opened.log.steps('run')).size).toBeGreaterThanOrEqual(events.length)
        await settle(1)
      }
      expect(await opened.store.events('root')).toMatchObject([{ type: 'run-end', seq: 1 }])
      expect(await seen).toEqual({ end: true })
    })

    it('steps are returned in the order in which they were first written, with their last value', async () => {
      for (const key of ['start', 'begin', 'end', 'begin', 'middle']) opened.log.append(stepEntry(key, 1))
      await opened.log.waitForCommit()
      for (const key of ['after', 'start', 'again']) opened.log.append(stepEntry(key, 2))
      await opened.log.waitForCommit()
      const steps = await opened.store.steps('root', 'run')
      expect([...steps.keys()]).toEqual(['start', 'begin', 'end', 'middle', 'after', 'again'])
      expect([...steps.values()]).toEqual([2, 1, 1, 1, 2, 2])
      expect(await opened.log.steps('run')).toEqual(steps)
    })

    it('steps may have any key', async () => {
      opened.log.append(stepEntry('__proto__', 'hostile'))
      await opened.log.waitForCommit()
      expect((await opened.log.steps('run')).get('__proto__')).toBe('hostile')
      expect((await opened.log.steps('__proto__')).size).toBe(0)
    })
  })
}
