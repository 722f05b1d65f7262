import { describe, expect, it } from 'vitest'
import { createWorkerSlots } from '../src/worker-slots.ts'

describe('slots of workers', () => {
  it('do not give one out again that ended between its last word and its return', async () => {
    const lost: (() => void)[] = []
    const ended: number[] = []
    const slots = createWorkerSlots({
      size: 1,
      create: (forget) => lost.push(forget),
      end: (worker) => Promise.resolve(ended.push(worker)),
    })
    const { signal } = new AbortController()
    const first = await slots.take(signal)
    lost[0]?.()
    await slots.give(Number(first), true)
    expect([first, await slots.take(signal)]).toEqual([1, 2])
    expect(ended).toEqual([1])
  })
})
