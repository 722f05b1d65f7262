import { describe, expect, it } from 'vitest'
import { createWorkerPool } from '../src/function-workers.ts'

describe('worker slots', () => {
  it('a worker slot that ended between its last message and its release is not reused', async () => {
    const lost: (() => void)[] = []
    const ended: number[] = []
    const slots = createWorkerPool({
      size: 1,
      create: (forget) => lost.push(forget),
      end: (worker) => Promise.resolve(ended.push(worker)),
    })
    const { signal } = new AbortController()
    const first = await slots.acquire(signal)
    lost[0]?.()
    await slots.release(Number(first), true)
    expect([first, await slots.acquire(signal)]).toEqual([1, 2])
    expect(ended).toEqual([1])
  })
})
