import { describe, expect, it } from 'vitest'
import { createAdmission } from '../src/runs/admission.ts'

describe('run admission', () => {
  it('admission keeps the limit when runs that were cancelled before they started end', async () => {
    const admission = createAdmission({ maxRuns: 1, maxQueue: 2 })
    const leave = await admission.enter(undefined)
    const second = admission.enter(undefined)
    const third = admission.enter(undefined)

    const leaveCancelled = await admission.enter(AbortSignal.abort())
    leaveCancelled()
    expect(admission).toMatchObject({ running: 1, waiting: 2 })

    leave()
    const leaveSecond = await second
    expect(admission).toMatchObject({ running: 1, waiting: 1 })
    leaveSecond()
    const leaveThird = await third
    leaveThird()
    expect(admission).toMatchObject({ running: 0, waiting: 0 })
  })

  it('queued runs start in the order of their priorities, then of their arrival', async () => {
    const admission = createAdmission({ maxRuns: 1, maxQueue: 4 })
    const leave = await admission.enter(undefined)
    const started: string[] = []
    const queued = [
      ['late', 500],
      ['normal', undefined],
      ['high', 1],
      ['hundred', 100],
    ] as const
    const runs = queued.map(async ([name, priority]) => {
      const leaveRun = await admission.enter(undefined, { priority })
      started.push(name)
      leaveRun()
    })
    leave()
    await Promise.all(runs)
    expect(started).toEqual(['high', 'normal', 'hundred', 'late'])
  })

  it('admission keeps the limit when a queued run is cancelled', async () => {
    const admission = createAdmission({ maxRuns: 1, maxQueue: 2 })
    const leave = await admission.enter(undefined)
    const cancelling = new AbortController()
    const cancelled = admission.enter(cancelling.signal)
    const last = admission.enter(undefined)

    cancelling.abort()
    const leaveCancelled = await cancelled
    leaveCancelled()
    expect(admission).toMatchObject({ running: 1, waiting: 1 })

    leave()
    const leaveLast = await last
    expect(admission).toMatchObject({ running: 1, waiting: 0 })
    leaveLast()
  })
})
