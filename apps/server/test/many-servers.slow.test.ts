import { join } from 'node:path'
import { openSqliteStore } from '@troupe/store'
import { fakeClock, settle, tempProject } from '@troupe/testkit/internal'
import { SYSTEM_CLOCK } from '@troupe/testkit/teams'
import { expect, it, onTestFinished } from 'vitest'
import { nextDueTime, toSchedule, type Schedule } from '@troupe/schedules'
import { advanceSlowly, createSharedRuns, startProcess, type TestProcess } from './support/shared-runs.ts'

const HOUR = 3_600_000

/** Opens the store of a process of its own. */
async function openTable(
  path: string,
  token: string,
): Promise<NonNullable<Awaited<ReturnType<typeof openSqliteStore>>['schedules']>> {
  const writer = { token, pid: 1, host: token, isAlive: () => true }
  const store = await openSqliteStore({ path, clock: SYSTEM_CLOCK, random: Math.random, writer })
  onTestFinished(async () => store.close())
  if (store.schedules === undefined) throw new TypeError('the store has no schedules')
  return store.schedules
}

function dueTimesOf(schedule: Schedule, from: number, to: number): readonly string[] {
  const found: string[] = []
  for (
    let due = nextDueTime(schedule, from);
    due !== undefined && due <= to;
    due = nextDueTime(schedule, due)
  )
    found.push(`${schedule.name} ${new Date(due).toISOString()}`)
  return found
}

/** A whole day, and the nights of the other changes: time zone, start, and the hours between the events. */
const PERIODS = [
  ['Europe/Berlin', '2026-10-24T12:00:10Z', [7, 6, 13]],
  ['Europe/Berlin', '2026-03-28T22:00:10Z', [2, 2, 2]],
  ['America/New_York', '2026-11-01T03:00:10Z', [2, 2, 3]],
  ['America/New_York', '2026-03-08T04:00:10Z', [2, 2, 3]],
] as const
/** `PERIODS=all` tests them all, instead of one night that changes with each run. */
const chosen = process.env['PERIODS'] === 'all' ? PERIODS : [PERIODS[1 + (Date.now() % 3)] ?? PERIODS[1]]

it.each(chosen)(
  'three servers of one store fire each due time once around a change of the clock and two restarts (%s, %s)',
  // a simulated day is minutes of work on a busy machine
  { timeout: 600_000 },
  async (timeZone, start, [untilKill, untilRestart, untilEnd]) => {
    const project = await tempProject()
    onTestFinished(() => project.remove())
    const path = join(project.path, 'runs.db')
    const from = Date.parse(start)
    const clock = fakeClock(from)
    const runs = createSharedRuns()
    const schedules = [
      { name: 'quarterly', cron: '*/15 * * * *', overlap: 'allow' },
      { name: 'nightly', cron: '30 1,2,3 * * *', overlap: 'queue' },
      { name: 'two', cron: '30 2 * * *', overlap: 'skip', catchUp: 'all' },
    ].map((written) => toSchedule({ ...written, timeZone } as Parameters<typeof toSchedule>[0], 'Clerk'))
    let processes = 0
    const serve = async (options: { readonly diesAtStart?: boolean } = {}): Promise<TestProcess> => {
      const owner = `process ${(processes += 1)}`
      const process = startProcess(clock, {
        schedules,
        table: await openTable(path, owner),
        owner,
        runs,
        ...options,
      })
      onTestFinished(() => process.kill())
      return process
    }
    const pass = (hours: number): Promise<void> =>
      advanceSlowly(clock, hours * HOUR, {
        stepMs: 60_000,
        async settle() {
          await settle(12)
          runs.endAll()
        },
      })
    const dying = await serve({ diesAtStart: true })
    const second = await serve()
    await serve()
    await pass(untilKill)
    dying.kill()
    await serve()
    await pass(untilRestart)
    await second.scheduler.close()
    await serve()
    await pass(untilEnd)
    const started = runs.starts.map(({ schedule, due }) => `${schedule} ${new Date(due).toISOString()}`)
    const expected = schedules.flatMap((schedule) => dueTimesOf(schedule, from, clock.now()))
    expect(started.toSorted()).toEqual(expected.toSorted())
    expect(new Set(runs.starts.map(({ runId }) => runId)).size).toBe(expected.length)
  },
)
