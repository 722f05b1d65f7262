import type { PreparedAgent } from '@troupe/schema'
import { freshSessionProvider, type AcquireRequest, type SessionProvider } from './session-provider.ts'
import { createSessionPool, type SessionPool } from './session-pool.ts'

interface KeyedPool {
  readonly pool: SessionPool
  readonly snapshotId: string
}

/**
 * Creates a session provider that uses a pool for cards with `acquire: {pool: N}`: at most N prepared agents per
 * key, kept warm between runs. A run with an ancestor that holds a pooled agent gets a new one instead, which
 * prevents deadlocks.
 */
export function createPooledSessionProvider(): SessionProvider {
  const pools = new Map<string, KeyedPool>()
  const holders = new Set<string>()

  async function fromPool(acquire: AcquireRequest, size: number): Promise<PreparedAgent> {
    const key = acquire.key()
    const known = pools.get(key)
    const pool = known?.pool ?? createSessionPool(size)
    if (known === undefined) pools.set(key, { pool, snapshotId: acquire.snapshotId })
    const { prepared, release: releaseSession } = await pool.take(acquire)
    const { runId } = acquire.request
    holders.add(runId)
    const release = (): void | Promise<void> => {
      holders.delete(runId)
      return releaseSession()
    }
    return { ...prepared, release }
  }

  return {
    acquire: (acquire) => {
      const { definition, request } = acquire
      const kind = definition.acquire
      const isBelowHolder = request.ancestry.some(({ runId }) => holders.has(runId))
      if (kind.kind === 'fresh' || isBelowHolder) return freshSessionProvider.acquire(acquire)
      return fromPool(acquire, kind.size)
    },
    retire: async (snapshotId) => {
      const past = [...pools].filter(([, each]) => each.snapshotId === snapshotId)
      for (const [key] of past) pools.delete(key)
      await Promise.all(past.map(([, { pool }]) => pool.close()))
    },
    close: async () => {
      await Promise.all([...pools.values()].map(({ pool }) => pool.close()))
    },
  }
}
