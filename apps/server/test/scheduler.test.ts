import { failure } from '@troupe/schema'
import { createMemoryStore } from '@troupe/store'
import { fakeClock, type FakeClock } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CLAIM_MS, firingRunId, toSchedule, type Schedule } from '@troupe/schedules'
import {
  advanceSlowly,
  createSharedRuns,
  startProcess,
  type SharedRuns,
  type TestProcess,
} from './support/shared-runs.ts'

const MINUTE = 60_000
const NOON = Date.parse('2026-05-01T12:00:30Z')

interface Setup {
  readonly clock: FakeClock
  readonly runs: SharedRuns
  readonly table: NonNullable<ReturnType<typeof createMemoryStore>['schedules']>
  start(changes?: Partial<Parameters<typeof startProcess>[1]>): TestProcess
  pass(minutes: number): Promise<void>
  /** Returns the due times of the started runs in minutes after noon. */
  started(): readonly number[]
}

function setUp(changes: Partial<Schedule> = {}): Setup {
  const clock = fakeClock(NOON)
  const runs = createSharedRuns()
  const store = createMemoryStore({ clock })
  const { schedules: table } = store
  if (table === undefined) throw new TypeError('the store has no schedules')
  const schedules = [{ ...toSchedule({ cron: '* * * * *' }, 'Clerk'), ...changes }]
  let owners = 0
  return {
    clock,
    runs,
    table,
    start: (options = {}) => {
      const process = startProcess(clock, { schedules, table, owner: `${(owners += 1)}`, runs, ...options })
      onTestFinished(() => process.kill())
      return process
    },
    pass: (minutes) => advanceSlowly(clock, minutes * MINUTE),
    started: () => runs.starts.map(({ due }) => (due - Date.parse('2026-05-01T12:00Z')) / MINUTE),
  }
}

describe('a scheduler', () => {
  it('a schedule fires at each due time after the scheduler has started, with a run id that follows from both', async () => {
    const { start, pass, started, runs } = setUp({ overlap: 'allow' })
    start()
    await pass(3)
    expect(started()).toEqual([1, 2, 3])
    expect(runs.starts[0]).toEqual({
      schedule: 'Clerk',
      due: NOON + 30_000,
      runId: firingRunId({ schedule: 'Clerk', due: NOON + 30_000 }),
    })
  })

  it('a schedule that skips starts no run while one of its runs has not ended', async () => {
    const { start, pass, started, runs, table } = setUp()
    start()
    await pass(3)
    expect(started()).toEqual([1])
    runs.endAll()
    await pass(1)
    expect(started()).toEqual([1, 4])
    expect((await table.firings({ limit: 10 })).map(({ state }) => state)).toEqual([
      'started',
      'skipped',
      'skipped',
      'started',
    ])
  })

  it('a schedule that queues starts one run after the other, the oldest first', async () => {
    const { start, pass, started, runs } = setUp({ overlap: 'queue' })
    start()
    await pass(4)
    expect(started()).toEqual([1])
    for (let ended = 0; ended < 3; ended += 1) {
      runs.endAll()
      await pass(0.2)
    }
    expect(started()).toEqual([1, 2, 3, 4])
  })

  it('a schedule that queues adds no further firing to 100 that wait, and says so', async () => {
    const { start, pass, table } = setUp({ overlap: 'queue' })
    const { problems } = start()
    await pass(103)
    expect(await table.firings({ states: ['waiting'], limit: 1000 })).toHaveLength(100)
    expect(problems.at(-1)).toContain('has 100 waiting firings')
  })

  it.each([
    ['none', [1, 151], 0],
    ['last', [1, 150, 151], 0],
    ['all', [1, ...Array.from({ length: 100 }, (_, index) => index + 52)], 1],
  ] as const)(
    'a restart makes up for missed firings as the policy "%s" says, and reports those that are left out',
    async (catchUp, expected, reports) => {
      const { start, pass, started } = setUp({ overlap: 'allow', catchUp })
      const first = start()
      await pass(1)
      await first.scheduler.close()
      await pass(149.9)
      const { problems } = start()
      await pass(0.2)
      expect(started()).toEqual(expected)
      expect(problems).toHaveLength(reports)
    },
  )

  it('a restart within a minute loses no firing, whatever the policy', async () => {
    const { start, pass, started } = setUp({ overlap: 'allow' })
    await start().scheduler.close()
    const first = start()
    await pass(0.4)
    await first.scheduler.close()
    await pass(0.4)
    start()
    await pass(0.1)
    expect(started()).toEqual([1])
  })

  it('a firing whose process died after the claim is started once by another process', async () => {
    const { start, pass, started, clock, table } = setUp({ cron: '1 12 * * *' })
    const dying = start({ diesAtStart: true })
    await pass(1)
    expect(started()).toEqual([])
    expect(await table.firings({ limit: 9 })).toMatchObject([{ state: 'claimed' }])
    dying.kill()
    start()
    start()
    await pass((CLAIM_MS - 40_000) / MINUTE)
    expect(started()).toEqual([])
    await clock.advance(0)
    await pass(2)
    expect(started()).toEqual([1])
    expect(await table.firings({ limit: 9 })).toMatchObject([{ state: 'started' }])
  })

  it('a firing whose process died after the start is settled without a second run', async () => {
    const { start, pass, started, runs, table } = setUp({ cron: '1 12 * * *' })
    await table.register({ name: 'Clerk', definition: 'UTC 1 12 * * *', now: NOON })
    const firing = { schedule: 'Clerk', due: NOON + 30_000 }
    const runId = firingRunId(firing)
    await table.add('Clerk', [{ due: firing.due, runId, state: 'waiting' }])
    await table.claim(firing, { owner: 'dead', now: NOON, expiredBefore: 0 })
    await runs.start({ ...firing, runId }, toSchedule({ cron: '1 12 * * *' }, 'Clerk'))
    start()
    await pass(3)
    expect(started()).toEqual([1])
    expect(await table.firings({ limit: 9 })).toMatchObject([{ state: 'started' }])
  })

  it('a firing that a busy server refuses waits, and one that is refused for good fails with a message', async () => {
    const { start, pass, runs, table } = setUp({ cron: '1 12 * * *' })
    const { problems } = start()
    runs.answer('busy')
    await pass(1)
    expect(await table.firings({ limit: 9 })).toMatchObject([{ state: 'waiting' }])
    expect(problems).toEqual([])
    runs.answer(failure('agent_unknown', 'No agent "Clerk" is served.'))
    await pass(1)
    expect(await table.firings({ limit: 9 })).toMatchObject([{ state: 'failed' }])
    expect(problems).toEqual(['The schedule Clerk could not start a run: No agent "Clerk" is served.'])
  })

  it('a paused schedule fires only by hand until it is resumed', async () => {
    const { start, pass, started, runs } = setUp({ overlap: 'allow', catchUp: 'all' })
    const { scheduler } = start()
    await scheduler.setPaused('Clerk', true)
    await pass(3)
    expect(started()).toEqual([])
    expect(await scheduler.list()).toMatchObject([{ name: 'Clerk', isPaused: true }])
    const { runId, due } = await scheduler.fire('Clerk')
    expect(runs.starts).toEqual([{ schedule: 'Clerk', runId, due }])
    expect(await scheduler.list()).toMatchObject([{ last: { runId, due, state: 'started' } }])
    await scheduler.setPaused('Clerk', false)
    await pass(1)
    expect(started().slice(1)).toEqual([4])
    expect(await scheduler.list()).toMatchObject([{ isPaused: false, next: NOON + 4.5 * MINUTE }])
  })

  it('a run by hand fails if the schedule is unknown or its run is refused', async () => {
    const { start, runs } = setUp()
    const { scheduler } = start()
    await expect(scheduler.fire('Cleric')).rejects.toMatchObject({ code: 'schedule_unknown' })
    await expect(scheduler.setPaused('Cleric', true)).rejects.toMatchObject({ code: 'schedule_unknown' })
    runs.answer(failure('agent_unknown', 'No agent "Clerk" is served.'))
    await expect(scheduler.fire('Clerk')).rejects.toMatchObject({ code: 'agent_unknown' })
    runs.answer('busy')
    await expect(scheduler.fire('Clerk')).rejects.toMatchObject({ code: 'server_busy' })
  })

  it('a store that fails is reported once, and the schedule fires when it works again', async () => {
    const { start, pass, started, table } = setUp({ overlap: 'allow' })
    let isBroken = true
    const list: typeof table.list = () => {
      if (isBroken) throw new Error('disk full')
      return table.list()
    }
    const { problems } = start({ table: { ...table, list } })
    await pass(0.3)
    expect(problems).toEqual(['Error: disk full'])
    isBroken = false
    await pass(0.3)
    expect(started()).toEqual([1])
  })

  it('schedules that cannot be read are reported once, and fire when they can', async () => {
    const { start, pass, started } = setUp({ overlap: 'allow' })
    let isBroken = true
    const readSchedules = (): readonly Schedule[] => {
      if (isBroken) throw new Error('out of order')
      return [{ ...toSchedule({ cron: '* * * * *' }, 'Clerk'), overlap: 'allow' }]
    }
    const { problems } = start({ readSchedules })
    await pass(0.3)
    expect(problems).toEqual(['Error: out of order'])
    isBroken = false
    await pass(2)
    expect(started().length).toBeGreaterThan(0)
  })
})
