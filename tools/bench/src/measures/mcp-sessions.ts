import assert from 'node:assert/strict'
import { median } from '../median.ts'
import type { Effort } from '../probe.ts'
import { callFromSessions, connectSessions } from '../subjects/own-tools.ts'

/** Wall µs until so many sessions that want one server, which is not running yet, all have its tools, or have all been answered by it. */
export async function measureMcpSessions({
  sessions,
  until,
  budgetMs,
}: Effort & { readonly sessions: number; readonly until: 'connected' | 'answered' }): Promise<number> {
  const once = until === 'connected' ? connectOnce : callOnce
  await once(sessions)
  const waits: number[] = []
  const end = performance.now() + budgetMs
  while (waits.length < 2 || performance.now() < end) waits.push(await once(sessions))
  return median(waits) * 1000
}

async function connectOnce(sessions: number): Promise<number> {
  const startedAt = performance.now()
  const { status, close } = await connectSessions(sessions)
  const wait = performance.now() - startedAt
  const { lists } = await status()
  await close()
  assert.equal(lists, 1, 'requests of the list')
  return wait
}

async function callOnce(sessions: number): Promise<number> {
  const startedAt = performance.now()
  const { said, close } = await callFromSessions(sessions)
  const wait = performance.now() - startedAt
  await close()
  assert.equal(said.length, sessions, 'sessions that were answered')
  assert.equal(new Set(said.map(({ pid }) => pid)).size, 1, 'processes')
  for (const { lists } of said) assert.equal(lists, 1, 'requests of the list')
  return wait
}
