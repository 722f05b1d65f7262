import { errorMessage, toFailure, TroupeError, troupeError, type Clock, type Failure } from '@troupe/schema'
import type { Firing, FiringClaim, FiringKey, ScheduleTable, StoredSchedule } from '@troupe/schema/ports'
import { dueTimes, MAX_CAUGHT_UP, nextDueTime } from './due-times.ts'
import { firingRunId, scheduleDefinition, type Schedule } from './schedule.ts'

/** A firing whose run is to be started. */
export interface FiringStart extends FiringKey {
  readonly runId: string
}

/**
 * Result of starting a run: `started` if it was accepted, now or before; `busy` if another attempt may succeed;
 * or the failure that refused it.
 */
export type FiringResult = 'started' | 'busy' | Failure

/** State of the run of a firing. `active` includes runs that are queued or wait for a person. */
export type FiringRunState = 'unknown' | 'active' | 'ended'

/** Dependencies of a scheduler. */
export interface SchedulerOptions {
  /** Returns the schedules to run. Called at every tick, so that changes apply at once. */
  schedules(): readonly Schedule[]
  readonly table: ScheduleTable
  readonly clock: Clock
  /** Identifies this scheduler among all that use the store. */
  readonly owner: string
  /** Starts the run of a firing. */
  start(firing: FiringStart, schedule: Schedule): Promise<FiringResult>
  /** Finds the run of a firing. */
  findRun(runId: string): Promise<FiringRunState>
  /** Called with failures and with firings that were left out. */
  onProblem(problem: unknown): void
}

/** A schedule with its last and next firing. */
export interface ListedSchedule extends Omit<Schedule, 'input'> {
  readonly isPaused: boolean
  /** Next due time, wall time in ms. `undefined` while the schedule is paused. */
  readonly next?: number
  /** The latest firing, if there was one. */
  readonly last?: Pick<Firing, 'due' | 'runId' | 'state'>
}

/** Runs the schedules of a team together with the other schedulers of the store. */
export interface Scheduler {
  start(): void
  /** Returns the schedules with their last and next firing. */
  list(): Promise<readonly ListedSchedule[]>
  /** Starts a run of a schedule now. Throws `schedule_unknown`, and what refuses the run. */
  fire(name: string): Promise<FiringStart>
  /** Pauses a schedule, or resumes it. Throws `schedule_unknown`. */
  setPaused(name: string, isPaused: boolean): Promise<void>
  /** Claims no further firings. */
  drain(): void
  /** Drains, and resolves when the firings that are being started are settled. */
  close(): Promise<void>
}

/** Longest time between two ticks in ms. Pauses, ended runs and claims of other processes are noticed then. */
const TICK_MS = 5000
/** Time in ms after which a claim is taken over. Its process has ended, or the store is full. */
export const CLAIM_MS = 60_000
/** Number of waiting firings of a schedule at which no further one is added. */
const MAX_WAITING = 100
/** Number of firings that are read at once. The others follow at later ticks. */
const MAX_OPEN = 10_000
/** Number of latest firings whose runs are checked for overlap. */
const CHECKED_RUNS = 20

/**
 * Creates a scheduler. Each due time is added to the table once, claimed by one scheduler, and settled when
 * its run was accepted. A claim that expires is taken over; the run of a firing has the same id in every
 * process, so that no second run is started.
 */
export function createScheduler(options: SchedulerOptions): Scheduler {
  const { table, clock, owner, start, findRun, onProblem } = options
  /** Definitions that this scheduler has registered, by schedule. */
  const registered = new Map<string, string>()
  let isClosed = false
  let cancelTimer: (() => void) | undefined
  let ticking: Promise<void> = Promise.resolve()
  /** Failures of the last tick, which are not reported again while they last. */
  let lastFailures: ReadonlySet<string> = new Set()

  function tickAfter(ms: number): void {
    cancelTimer = clock.after(ms, () => {
      ticking = tick()
    })
  }

  async function tick(): Promise<void> {
    const failures = new Set<string>()
    const onFailure = (thrown: unknown): void => {
      const message = errorMessage(thrown)
      failures.add(message)
      if (!lastFailures.has(message)) onProblem(thrown)
    }
    let schedules: readonly Schedule[] = []
    try {
      schedules = options.schedules()
      await runSchedules(schedules, onFailure)
    } catch (thrown) {
      onFailure(thrown)
    }
    lastFailures = failures
    if (!isClosed) tickAfter(timeToNextTick(schedules, clock.now()))
  }

  async function runSchedules(
    schedules: readonly Schedule[],
    onFailure: (thrown: unknown) => void,
  ): Promise<void> {
    if (schedules.length === 0) return
    for (const schedule of schedules) await register(schedule)
    const stored = new Map((await table.list()).map((each) => [each.name, each]))
    const open = new Set((await openFirings()).map((firing) => firing.schedule))
    for (const schedule of schedules) {
      const known = stored.get(schedule.name)
      if (isClosed || known === undefined || known.isPaused) continue
      try {
        if ((await addDue(schedule, known)) || open.has(schedule.name)) await startWaiting(schedule)
      } catch (thrown) {
        // one schedule must not stop the others
        onFailure(thrown)
      }
    }
  }

  async function register(schedule: Schedule): Promise<void> {
    const { name } = schedule
    const definition = scheduleDefinition(schedule)
    if (registered.get(name) === definition) return
    await table.register({ name, definition, now: clock.now() })
    registered.set(name, definition)
  }

  /** Adds the due times up to now as waiting firings. Returns false if there are none. */
  async function addDue(schedule: Schedule, { handledUntil }: StoredSchedule): Promise<boolean> {
    const until = clock.now()
    const next = nextDueTime(schedule, handledUntil)
    if (next === undefined || next > until) return false
    const { times, isCut } = dueTimes(schedule, { after: handledUntil, until })
    if (isCut)
      onProblem(
        `The schedule ${schedule.name} missed more than ${MAX_CAUGHT_UP} firings. The oldest are left out.`,
      )
    const { length: waiting } = await openFirings(schedule.name)
    const added = times.slice(Math.max(0, waiting + times.length - MAX_WAITING))
    if (added.length < times.length)
      onProblem(
        `The schedule ${schedule.name} has ${waiting} waiting firings. ${times.length - added.length} more are left out.`,
      )
    const firings = added.map((due) => ({ ...toStart(schedule.name, due), state: 'waiting' as const }))
    await table.add(schedule.name, firings, until)
    return true
  }

  /** Starts the waiting firings of a schedule, the oldest first, as far as its overlap policy allows. */
  async function startWaiting(schedule: Schedule): Promise<void> {
    for (const firing of (await openFirings(schedule.name)).toReversed()) {
      // the other firings wait for the one that this or another process is starting
      if (isClosed || !(await table.claim(firing, claimNow()))) return
      const state = await startClaimed(firing, schedule)
      await table.settle(firing, owner, state)
      if (state === 'waiting') return
    }
  }

  /** Returns the firings that are not settled, of one schedule or of all. */
  async function openFirings(schedule?: string): Promise<readonly Firing[]> {
    return table.firings({
      ...(schedule === undefined ? {} : { schedule }),
      states: ['waiting', 'claimed'],
      limit: MAX_OPEN,
    })
  }

  function claimNow(): FiringClaim {
    const now = clock.now()
    return { owner, now, expiredBefore: now - CLAIM_MS }
  }

  /** Starts the run of a firing that this scheduler has claimed. Returns the state of the firing. */
  async function startClaimed(
    firing: Firing,
    schedule: Schedule,
  ): Promise<Exclude<Firing['state'], 'claimed'>> {
    try {
      // its process ended after the run had started
      if ((await findRun(firing.runId)) !== 'unknown') return 'started'
      if (schedule.overlap !== 'allow' && (await hasActiveRun(schedule)))
        return schedule.overlap === 'skip' ? 'skipped' : 'waiting'
      const result = await start(toStart(schedule.name, firing.due), schedule)
      if (result === 'started') return 'started'
      if (result === 'busy') return 'waiting'
      return refused(schedule, result)
    } catch (thrown) {
      return refused(schedule, toFailure(thrown))
    }
  }

  function refused({ name }: Schedule, { message }: Failure): 'failed' {
    onProblem(`The schedule ${name} could not start a run: ${message}`)
    return 'failed'
  }

  async function hasActiveRun({ name }: Schedule): Promise<boolean> {
    for (const { runId } of await table.firings({
      schedule: name,
      states: ['started'],
      limit: CHECKED_RUNS,
    })) {
      const state = await findRun(runId)
      if (state === 'active') return true
    }
    return false
  }

  function findSchedule(name: string): Schedule {
    const schedules = options.schedules()
    const schedule = schedules.find((each) => each.name === name)
    if (schedule !== undefined) return schedule
    const known = schedules.map((each) => each.name).join(', ') || 'none'
    throw troupeError('schedule_unknown', `There is no schedule "${name.slice(0, 100)}". Known: ${known}.`)
  }

  function drain(): void {
    isClosed = true
    cancelTimer?.()
  }

  return {
    start: () => tickAfter(0),
    list: () => listSchedules(options.schedules(), table, clock.now()),
    async fire(name) {
      const schedule = findSchedule(name)
      await register(schedule)
      const firing = toStart(name, clock.now())
      const result = await start(firing, schedule)
      if (typeof result === 'object') throw new TroupeError(result)
      if (result === 'busy') throw troupeError('server_busy', 'The server starts no further runs now.')
      await table.add(name, [{ ...firing, state: 'started' }])
      return firing
    },
    async setPaused(name, isPaused) {
      await register(findSchedule(name))
      await table.setPaused(name, isPaused, clock.now())
    },
    drain,
    async close() {
      drain()
      await ticking
    },
  }
}

function toStart(schedule: string, due: number): FiringStart {
  return { schedule, due, runId: firingRunId({ schedule, due }) }
}

function timeToNextTick(schedules: readonly Schedule[], now: number): number {
  const next = schedules.map((schedule) => nextDueTime(schedule, now) ?? Infinity)
  return Math.max(0, Math.min(TICK_MS, ...next.map((due) => due - now)))
}

/** Lists schedules with their state in the store; without a table, as schedules that have never fired. */
export async function listSchedules(
  schedules: readonly Schedule[],
  table: ScheduleTable | undefined,
  now: number,
): Promise<readonly ListedSchedule[]> {
  const stored = new Map(((await table?.list()) ?? []).map((each) => [each.name, each]))
  return Promise.all(
    schedules.map(async (each) => {
      const { input: _input, ...schedule } = each
      const [last] = (await table?.firings({ schedule: schedule.name, limit: 1 })) ?? []
      const isPaused = stored.get(schedule.name)?.isPaused === true
      const next = isPaused ? undefined : nextDueTime(schedule, now)
      return {
        ...schedule,
        isPaused,
        ...(next === undefined ? {} : { next }),
        ...(last === undefined ? {} : { last: { due: last.due, runId: last.runId, state: last.state } }),
      }
    }),
  )
}
