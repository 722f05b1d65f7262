import type { Cron } from 'croner'
import { parseCron, type Schedule } from './schedule.ts'

/** Maximum number of due times that are added at once. */
export const MAX_CAUGHT_UP = 100
/** Time in ms after which a due time counts as missed. Servers restart and tick within it. */
export const MISSED_AFTER_MS = 60_000

/** Due times in a period, as the catch-up policy of the schedule leaves them. */
export interface DueTimes {
  /** Wall times in ms, ascending. */
  readonly times: readonly number[]
  /** True if missed due times were left out because there were more than {@link MAX_CAUGHT_UP}. */
  readonly isCut: boolean
}

type TimedSchedule = Pick<Schedule, 'cron' | 'timeZone'>

// one schedule object is asked at every tick
const parsed = new WeakMap<TimedSchedule, Cron>()

function cronOf(schedule: TimedSchedule): Cron {
  const known = parsed.get(schedule)
  if (known !== undefined) return known
  const cron = parseCron(schedule)
  parsed.set(schedule, cron)
  return cron
}

/** Returns the first due time after a time; `undefined` if there is none. */
export function nextDueTime(schedule: TimedSchedule, after: number): number | undefined {
  return cronOf(schedule).nextRun(new Date(after))?.getTime()
}

/**
 * Returns the due times after `after` and up to `until`. Those of the last minute are always included. Of
 * earlier ones, which were missed, `catchUp` selects none, the last, or all, up to 100 due times together.
 */
export function dueTimes(
  schedule: TimedSchedule & Pick<Schedule, 'catchUp'>,
  { after, until }: { readonly after: number; readonly until: number },
): DueTimes {
  const onTime: number[] = []
  const missed: number[] = []
  const max = { none: 0, last: 1, all: MAX_CAUGHT_UP }[schedule.catchUp]
  const isFull = (): boolean => missed.length >= max || onTime.length + missed.length >= MAX_CAUGHT_UP
  // from the latest on, because the oldest are left out
  for (const due of backwards(schedule, { after, until })) {
    if (due > until - MISSED_AFTER_MS) onTime.push(due)
    else if (isFull())
      return { times: [...onTime, ...missed].toReversed(), isCut: schedule.catchUp === 'all' }
    else missed.push(due)
  }
  return { times: [...onTime, ...missed].toReversed(), isCut: false }
}

const SECOND = 1000

/** Yields the due times of a period, the latest first. */
function* backwards(
  schedule: TimedSchedule,
  { after, until }: { readonly after: number; readonly until: number },
): Generator<number> {
  const cron = cronOf(schedule)
  // due times are whole seconds, and the reference itself is excluded
  let reference = new Date((Math.floor(until / SECOND) + 1) * SECOND)
  for (;;) {
    const [previous] = cron.previousRuns(1, reference)
    if (previous === undefined || previous.getTime() <= after) return
    yield previous.getTime()
    reference = previous
  }
}
