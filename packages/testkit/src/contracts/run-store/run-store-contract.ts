import type { RunTreeLog, RunStore } from '@troupe/schema'
import { afterEach, beforeEach, describe } from 'vitest'
import { persistenceContract } from './persistence-contract.ts'
import { suspendedLogContract } from './suspended-log-contract.ts'
import { listContract } from './list-contract.ts'
import { logContract } from './log-contract.ts'
import { rootContract } from './root-contract.ts'
import { sessionContract } from './session-contract.ts'
import { stepsContract } from './steps-contract.ts'
import { subscriptionContract } from './subscription-contract.ts'
import type { OpenedStore } from './opened-store.ts'

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
  })
}
