import { nextDueTime, type ListedSchedule, type Schedule } from '@troupe/schedules'
import { plainText } from '@troupe/timeline'
import type { Style } from '../terminal/terminal.ts'
import { tableLines } from './table.ts'

const COLUMNS = ['schedule', 'agent', 'cron', 'time zone', 'next', 'last', 'state'].map((title) => ({
  title,
}))

/**
 * Returns a table of schedules. Times are in the time zone of each schedule. `runStates` has the states of their last
 * runs by run id.
 */
export function scheduleTable(
  schedules: readonly ListedSchedule[],
  runStates: ReadonlyMap<string, string>,
  style: Style,
): readonly string[] {
  if (schedules.length === 0) return [style.dim('no schedules')]
  const rows = schedules.map(({ name, agent, cron, timeZone, isPaused, next, last }) => [
    name,
    agent,
    cron,
    timeZone,
    next === undefined ? '–' : zonedTime(next, timeZone),
    last === undefined ? '–' : `${zonedTime(last.due, timeZone)} ${runStates.get(last.runId) ?? last.state}`,
    isPaused ? 'paused' : 'active',
  ])
  const [titles = '', ...lines] = tableLines(
    COLUMNS,
    rows.map((cells) => cells.map((cell) => plainText(cell, { max: 60 }))),
  )
  return [style.dim(titles), ...lines]
}

/** Returns a line with the number of schedules and the next firing of all of them; `undefined` if there are none. */
export function nextFiringLine(schedules: readonly ListedSchedule[]): string | undefined {
  if (schedules.length === 0) return undefined
  const count = schedules.length === 1 ? '1 schedule' : `${schedules.length} schedules`
  const [first] = schedules
    .flatMap(({ name, timeZone, next }) => (next === undefined ? [] : [{ name, timeZone, next }]))
    .toSorted((a, b) => a.next - b.next)
  if (first === undefined) return `${count}, paused`
  const { name, timeZone, next } = first
  return plainText(`${count}; next: ${name} at ${zonedTime(next, timeZone)} (${timeZone})`)
}

/** Number of firings that `troupe check --explain` lists. */
const UPCOMING = 3

/** Returns a line for each schedule with its next firings. */
export function upcomingLines(schedules: readonly Schedule[], now: number): readonly string[] {
  return schedules.map((schedule) => {
    const times: string[] = []
    for (let due = nextDueTime(schedule, now); due !== undefined; due = nextDueTime(schedule, due)) {
      times.push(zonedTime(due, schedule.timeZone))
      if (times.length === UPCOMING) break
    }
    const { name, agent, timeZone } = schedule
    return plainText(`schedule ${name} of ${agent}: ${times.join(', ')} (${timeZone})`)
  })
}

/** Returns a time in a time zone as `2026-05-01 09:00`. */
function zonedTime(time: number, timeZone: string): string {
  // Swedish writes dates and times as ISO 8601 does
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' }).format(time)
}
