import { leakCheck } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { startSessions } from './support/http-servers.ts'
import { call, leaseOf, nodeServer, testPool } from './support/test-pool.ts'

describe('a closed pool', () => {
  it('a closed pool holds no process, pipe, socket or timer', async () => {
    const check = leakCheck()
    const server = await startSessions()
    const pool = testPool()
    const stdio = await leaseOf(pool, nodeServer('team-stdio.ts'))
    const http = await leaseOf(pool, { url: server.url })
    await Promise.all([stdio, http].map((lease) => call(lease, 'echo', { text: 'hi' })))
    await leaseOf(pool, nodeServer('fault-stdio.mjs', 'exit')).catch(() => undefined)
    await pool.close()
    await server.stop()
    await expect(check.assertClean()).resolves.toBeUndefined()
  })
})
