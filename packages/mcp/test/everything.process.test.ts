import { createRequire } from 'node:module'
import { resultText } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import { eventually, groupMembers } from './support/process-table.ts'
import { call, leaseOf, testPool, toolNamed } from './support/test-pool.ts'

const everything = {
  command: process.execPath,
  args: [
    createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js'),
    'stdio',
  ],
}

describe('the reference server "everything"', () => {
  it('the reference server lists its tools and answers calls', async () => {
    const lease = await leaseOf(testPool(), everything, { server: 'everything' })
    expect(lease.tools.length).toBeGreaterThan(5)
    for (const tool of lease.tools) {
      expect(tool.wireName).toMatch(/^[a-zA-Z0-9_-]{1,64}$/u)
      expect(tool.inputSchema['type']).toBe('object')
    }
    expect(resultText(await call(lease, 'echo', { message: 'hi' }))).toContain('hi')
    expect(resultText(await call(lease, 'get-sum', { a: 2, b: 3 }))).toContain('5')
    const picture = await call(lease, 'get-tiny-image')
    expect(picture.content.map((part) => part.type)).toContain('data')
  })

  it('the reference server reports progress', async () => {
    const lease = await leaseOf(testPool(), everything, { server: 'everything' })
    const told: string[] = []
    const args = { duration: 1, steps: 2 }
    await call(lease, 'trigger-long-running-operation', args, { progress: (text) => told.push(text) })
    expect(told).toEqual(['1/2', '2/2'])
  })

  it('the reference server leaves no process behind, and a new lease works after kill -9', async () => {
    const pool = testPool()
    const lease = await leaseOf(pool, everything, { server: 'everything' })
    const pid = await onlyChild()
    const pending = call(lease, 'trigger-long-running-operation', { duration: 60, steps: 1 })
    await call(lease, 'echo', { message: 'the call before is under way' })
    process.kill(pid, 'SIGKILL')
    // the tool is annotated as read-only, so the call is retried once
    await call(lease, 'echo', { message: 'the call is under way again' })
    const again = await onlyChild()
    process.kill(again, 'SIGKILL')
    expect((await pending).failure?.code).toBe('mcp_crashed')
    await eventually('the groups are gone', () => groupMembers(pid).length + groupMembers(again).length === 0)

    const next = await leaseOf(pool, everything, { server: 'everything' })
    expect(toolNamed(next, 'echo')).toBe(toolNamed(lease, 'echo'))
    expect(resultText(await call(next, 'echo', { message: 'again' }))).toContain('again')
    const second = await onlyChild()
    await pool.close()
    expect(groupMembers(second)).toEqual([])
  })
})

/** Returns the one process that this test has started. */
async function onlyChild(): Promise<number> {
  const { readFile } = await import('node:fs/promises')
  const children = await readFile(`/proc/self/task/${process.pid}/children`, 'utf8')
  const pids = children
    .split(' ')
    .filter((pid) => pid !== '')
    .map(Number)
  const mine = pids.filter((pid) => groupMembers(pid).includes(pid))
  expect(mine).toHaveLength(1)
  return mine[0] ?? 0
}
