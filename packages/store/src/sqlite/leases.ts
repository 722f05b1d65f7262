import { LEASE_MS, troupeError, type Clock, type StoredRoot } from '@troupe/schema'
import { sessionBusy } from '../session-keys.ts'
import type { Failpoint } from './failpoint.ts'
import type { LeasedRoot, LeaseOptions, Roots } from './roots.ts'
import type { Transact } from './transactor.ts'

/** The leases held by one opened store. */
export interface Leases {
  /**
   * Acquires the lease of a run tree. Rejects with `store_locked`, naming the other process that has it open,
   * or with `session_busy`.
   */
  take(rootRunId: string, options: LeaseOptions): Promise<LeasedRoot>
  give(lease: LeasedRoot): Promise<void>
}

const BEAT_MS = LEASE_MS / 6

/** Creates the leases. Renews them as long as there are any. */
export function createLeases(parts: {
  readonly roots: Roots
  readonly transact: Transact
  readonly clock: Clock
  readonly failpoint?: Failpoint | undefined
}): Leases {
  const { roots, transact, clock, failpoint } = parts
  let held = 0
  let stopBeat: (() => void) | undefined

  function beat(): void {
    stopBeat = clock.after(BEAT_MS, () => {
      try {
        roots.renew(clock.now())
      } catch {
        // The store is busy or full. The next renewal is still in time, and a lost lease is detected by its
        // fence.
      }
      beat()
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
    async take(rootRunId, options) {
      const lease = await commit('lease', () => roots.lease(rootRunId, { ...options, now: clock.now() }))
      if ('holder' in lease) throw locked(rootRunId, lease.holder)
      if ('busyRoot' in lease) throw sessionBusy(lease.busyRoot)
      held += 1
      if (held === 1) beat()
      return lease
    },
    async give(lease) {
      held -= 1
      if (held === 0) stopBeat?.()
      await commit('release', () => roots.release(lease, clock.now()))
    },
  }
}

function locked(rootRunId: string, { pid, host }: NonNullable<StoredRoot['owner']>): Error {
  return troupeError('store_locked', `The run ${rootRunId} is open in process ${pid} on ${host}.`)
}
