import { resultText, type McpServerConfig } from '@troupe/schema'
import { faultMcpStdio, verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import type { McpLease, McpPool } from '../src/index.ts'
import { groupMembers } from './support/process-table.ts'
import { call, leaseOf, testPool } from './support/test-pool.ts'

const SESSIONS = 100
/** Long, because the machine may be busy; these tests do not measure time. */
const PATIENCE = 240_000

function leases(pool: McpPool, config: McpServerConfig): Promise<readonly McpLease[]> {
  return Promise.all(Array.from({ length: SESSIONS }, () => leaseOf(pool, config)))
}

/** Returns the processes that answer, one for each lease. */
async function processesOf(all: readonly McpLease[]): Promise<ReadonlySet<number>> {
  const said = await Promise.all(all.map(async (lease) => resultText(await call(lease, 'status'))))
  return new Set(said.map((text) => (JSON.parse(text) as { readonly pid: number }).pid))
}

function living(pids: Iterable<number>): readonly number[] {
  return [...pids].filter((pid) => groupMembers(pid).length > 0)
}

describe('a hundred sessions', () => {
  it(`a hundred sessions share one process, which outlives them and ends with the pool ${verifies('R1', 'A19', 'A20')}`, async () => {
    const pool = testPool()
    const all = await leases(pool, faultMcpStdio())
    const pids = await processesOf(all)
    expect(pids.size).toBe(1)
    await Promise.all(all.map((lease) => lease.release()))
    expect(living(pids)).toHaveLength(1)
    await pool.close()
    expect(living(pids)).toEqual([])
  })

  it(
    `a hundred sessions with \`shared: false\` use a hundred processes, none of which is left when they end ${verifies('R1')}`,
    async () => {
      const pool = testPool()
      const all = await leases(pool, { ...faultMcpStdio(), shared: false, startTimeout: PATIENCE })
      const pids = await processesOf(all)
      expect(pids.size).toBe(SESSIONS)
      await Promise.all(all.map((lease) => lease.release()))
      expect(living(pids)).toEqual([])
    },
    PATIENCE,
  )
})
