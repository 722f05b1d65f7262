import type { Clock } from '@troupe/schema'
import type { ScheduleTable } from '@troupe/schema/ports'
import type { FakeClock } from '@troupe/testkit/internal'
import {
  createScheduler,
  type FiringResult,
  type FiringStart,
  type Schedule,
  type Scheduler,
  type SchedulerOptions,
} from '@troupe/schedules'

/** The runs of all schedulers of a test, by id. */
export interface SharedRuns {
  /** Every start in order, repeated ones included. */
  readonly starts: readonly FiringStart[]
  /** Ends the active runs. */
  endAll(): void
  readonly start: SchedulerOptions['start']
  readonly findRun: SchedulerOptions['findRun']
  /** Sets the result of the next starts. */
  answer(result: FiringResult): void
}

export function createSharedRuns(): SharedRuns {
  const starts: FiringStart[] = []
  const states = new Map<string, 'active' | 'ended'>()
  let next: FiringResult = 'started'
  return {
    starts,
    endAll() {
      for (const [id, state] of states) if (state === 'active') states.set(id, 'ended')
    },
    start: (firing) => {
      starts.push(firing)
      if (next === 'started') states.set(firing.runId, 'active')
      return Promise.resolve(next)
    },
    findRun: (runId) => Promise.resolve(states.get(runId) ?? 'unknown'),
    answer: (result) => void (next = result),
  }
}

/** A scheduler of a process that can be killed: its timers no longer fire, and its starts never return. */
export interface TestProcess {
  readonly scheduler: Scheduler
  readonly problems: readonly string[]
  kill(): void
}

export function startProcess(
  clock: FakeClock,
  {
    schedules,
    table,
    owner,
    runs,
    diesAtStart = false,
    readSchedules = () => schedules,
  }: {
    readonly schedules: readonly Schedule[]
    readonly table: ScheduleTable
    readonly owner: string
    readonly runs: SharedRuns
    /** Kills the process between the claim and the start of its first run. */
    readonly diesAtStart?: boolean
    readonly readSchedules?: () => readonly Schedule[]
  },
): TestProcess {
  const problems: string[] = []
  let isAlive = true
  const ownClock: Clock = { ...clock, after: (ms, fn) => clock.after(ms, () => void (isAlive && fn())) }
  const never = new Promise<never>(() => undefined)
  const scheduler = createScheduler({
    schedules: readSchedules,
    table,
    clock: ownClock,
    owner,
    start(firing, schedule) {
      if (diesAtStart) isAlive = false
      return isAlive ? runs.start(firing, schedule) : never
    },
    findRun: (runId) => (isAlive ? runs.findRun(runId) : never),
    onProblem: (problem) => void problems.push(String(problem)),
  })
  scheduler.start()
  return { scheduler, problems, kill: () => void (isAlive = false) }
}

/** Advances in steps that are short enough for every tick to finish before the next. */
export async function advanceSlowly(
  clock: FakeClock,
  ms: number,
  { stepMs = 5000, settle }: { readonly stepMs?: number; readonly settle?: () => Promise<void> } = {},
): Promise<void> {
  for (let passed = 0; passed < ms; passed += stepMs) {
    await clock.advance(Math.min(stepMs, ms - passed))
    await settle?.()
  }
}
