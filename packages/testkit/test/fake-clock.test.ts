import { describe, expect, it } from 'vitest'
import { fakeClock } from '../src/internal.ts'

describe('fakeClock', () => {
  it('fakeClock stands still until it is advanced', async () => {
    const clock = fakeClock(5000)
    expect([clock.now(), clock.monotonic()]).toEqual([5000, 0])
    await clock.advance(20)
    expect([clock.now(), clock.monotonic()]).toEqual([5020, 20])
  })

  it('fakeClock fires due timers in order of time, then of registration, each at its own time', async () => {
    const clock = fakeClock()
    const fired: string[] = []
    clock.after(20, () => fired.push(`b at ${clock.now()}`))
    clock.after(10, () => fired.push(`a at ${clock.now()}`))
    clock.after(20, () => fired.push(`c at ${clock.now()}`))
    clock.after(31, () => fired.push('too late'))
    await clock.advance(30)
    expect(fired).toEqual(['a at 10', 'b at 20', 'c at 20'])
    expect(clock.pending()).toBe(1)
  })

  it('fakeClock does not fire cancelled timers', async () => {
    const clock = fakeClock()
    const fired: string[] = []
    const cancel = clock.after(10, () => fired.push('never'))
    cancel()
    await clock.advance(10)
    expect(fired).toEqual([])
    expect(clock.pending()).toBe(0)
  })

  it('fakeClock lets promises and immediates run between timers, so that they may set further timers', async () => {
    const clock = fakeClock()
    const fired: number[] = []
    clock.after(10, () => {
      setImmediate(() => {
        clock.after(10, () => fired.push(clock.now()))
      })
    })
    clock.after(25, () => fired.push(clock.now()))
    await clock.advance(25)
    expect(fired).toEqual([20, 25])
  })
})
