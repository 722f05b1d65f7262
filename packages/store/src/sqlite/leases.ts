import { troupeError, type Clock } from '@troupe/schema'
import { LEASE_MS, sessionBusyError, type RootRunRecord } from '@troupe/schema/ports'
import type { Failpoint } from './write-slice.ts'
import type { RunTreeLease, AcquireLeaseOptions, RootRunTable } from './root-run-table.ts'
import type { Transact } from './transactor.ts'

/** The leases held by one opened store. */
interface LeaseManager {
  /**
   * Acquires the lease of a run tree. Rejects with `store_locked`, naming the other process that has it open,
   * or with `session_busy`.
   */
  acquire(rootRunId: string, options: AcquireLeaseOptions): Promise<RunTreeLease>
  release(lease: RunTreeLease): Promise<void>
}

const RENEW_MS = LEASE_MS / 6

/** Creates the leases. Renews them as long as there are any. */
export function createLeaseManager(parts: {
  readonly roots: RootRunTable
  readonly transact: Transact
  readonly clock: Clock
  readonly failpoint?: Failpoint | undefined
}): LeaseManager {
  const { roots, transact, clock, failpoint } = parts
  let heldCount = 0
  let stopRenewal: (() => void) | undefined

  function renewLater(): void {
    stopRenewal = clock.after(RENEW_MS, () => {
      try {
        roots.renew(clock.now())
      } catch {
        // The store is busy or full. The next renewal is still in time, and a lost lease is detected by its
        // fence.
      }
      renewLater()
    })
  }

  async function commit<T>(what: string, work: () => T): Promise<T> {
    const value = await transact(() => {
      const made = work()
      failpoint?.('written', what)
      return made
    })
    failpoint?.('committed', what)
    return value
  }

  return {
    async acquire(rootRunId, options) {
      const lease = await commit('lease', () => roots.lease(rootRunId, { ...options, now: clock.now() }))
      if ('holder' in lease) throw storeLockedError(rootRunId, lease.holder)
      if ('busyRoot' in lease) throw sessionBusyError(lease.busyRoot)
      heldCount += 1
      if (heldCount === 1) renewLater()
      return lease
    },
    async release(lease) {
      heldCount -= 1
      if (heldCount === 0) stopRenewal?.()
      await commit('release', () => roots.release(lease, clock.now()))
    },
  }
}

function storeLockedError(rootRunId: string, { pid, host }: NonNullable<RootRunRecord['owner']>): Error {
  return troupeError('store_locked', `The run ${rootRunId} is in use by process ${pid} on ${host}.`)
}
