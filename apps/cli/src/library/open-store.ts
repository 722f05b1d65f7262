import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import type { Clock } from '@troupe/schema'
import type { RunStore } from '@troupe/schema/ports'
import { isAlive } from '../run-store/is-alive.ts'

const CLOCK: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, fn) {
    const timer = setTimeout(fn, ms)
    return () => clearTimeout(timer)
  },
}

/**
 * Opens a store of runs: a file such as `runs.db`, which is created if it is missing, or a PostgreSQL database such
 * as `postgres://localhost/troupe`. Several processes can use it at the same time. Pass it to `createHost`, which
 * closes it, or close it yourself. Rejects with `store_unavailable`, `store_corrupt`, `store_newer` or `store_full`.
 */
export async function openStore(location: string): Promise<RunStore> {
  const options = {
    clock: CLOCK,
    random: Math.random,
    writer: { token: randomUUID(), pid: process.pid, host: hostname(), isAlive },
  }
  if (!/^postgres(?:ql)?:\/\//iu.test(location)) {
    const { openSqliteStore } = await import('@troupe/store')
    return openSqliteStore({ ...options, path: resolve(location) })
  }
  const { openPostgresStore } = await import('@troupe/store-postgres')
  return openPostgresStore({ ...options, url: location })
}
