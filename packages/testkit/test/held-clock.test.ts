import { describe, expect, it } from 'vitest'
import { heldClock } from '../src/internal.ts'

describe('a held clock', () => {
  it('a held clock fires timers of its duration on request, and others by themselves', async () => {
    const fired: string[] = []
    const { clock, expire } = heldClock(5)
    clock.after(5, () => fired.push('held'))
    const cancel = clock.after(5, () => fired.push('cancelled'))
    await new Promise<void>((resolve) => clock.after(6, resolve))
    expect(fired).toEqual([])
    cancel()
    expire()
    expire()
    expect(fired).toEqual(['held'])
  })
})
