import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { systemClock } from '@troupe/core'
import type { RunStore } from '@troupe/schema/ports'
import { isAlive } from '../run-store/is-alive.ts'
import { namedLocation } from '../run-store/open-store.ts'
import { callerDefaults } from './caller.ts'

/**
 * Opens a store of runs: a file such as `runs.db`, which is created if it is missing, or a PostgreSQL database such
 * as `postgres://localhost/troupe`. Several processes can use it at the same time. Pass it to `createHost`, which
 * closes it, or close it yourself. Rejects with `store_unavailable`, `store_corrupt`, `store_newer` or `store_full`.
 */
export async function openStore(location: string): Promise<RunStore> {
  const options = {
    clock: systemClock,
    random: Math.random,
    writer: { token: randomUUID(), pid: process.pid, host: hostname(), isAlive },
  }
  const { url, name } = namedLocation(location, { cwd: callerDefaults().cwd })
  if (url === undefined) {
    const { openSqliteStore } = await import('@troupe/store')
    return openSqliteStore({ ...options, path: name })
  }
  const { openPostgresStore } = await import('@troupe/store-postgres')
  return openPostgresStore({ ...options, url })
}
