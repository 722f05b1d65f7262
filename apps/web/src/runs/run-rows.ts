import type { RunSummary } from '@troupe/client'

/** A row of the list of runs: a run, or the day above the runs that started on it. */
export type RunRow =
  | { readonly kind: 'day'; readonly key: string; readonly day: string }
  | { readonly kind: 'run'; readonly key: string; readonly run: RunSummary }

const DAY = new Intl.DateTimeFormat(undefined, { weekday: 'long', month: 'long', day: 'numeric' })
const DAY_OF_YEAR = new Intl.DateTimeFormat(undefined, {
  weekday: 'long',
  year: 'numeric',
  month: 'long',
  day: 'numeric',
})

/** Returns the rows of a list of runs, the newest first, with a heading for each day. `now` is in ms since 1970. */
export function toRunRows(runs: readonly RunSummary[], now: number): readonly RunRow[] {
  const rows: RunRow[] = []
  let last = ''
  for (const run of runs) {
    const day = dayText(run.startedAt, now)
    // Runs are in the order in which they were accepted, so that a day may come again.
    if (day !== last) rows.push({ kind: 'day', key: `${day} ${run.runId}`, day })
    last = day
    rows.push({ kind: 'run', key: run.runId, run })
  }
  return rows
}

function dayText(time: number, now: number): string {
  const [date, today] = [new Date(time), new Date(now)]
  if (isSameDay(date, today)) return 'Today'
  const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1)
  if (isSameDay(date, yesterday)) return 'Yesterday'
  return (date.getFullYear() === today.getFullYear() ? DAY : DAY_OF_YEAR).format(date)
}

function isSameDay(a: Date, b: Date): boolean {
  return a.toDateString() === b.toDateString()
}
