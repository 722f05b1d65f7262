const DAY = 24 * 60 * 60 * 1000

const TIME = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const DATE = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
})

/** Formats a time: without the date if it is within a day of `now`. Both in ms since 1970. */
export function clockTime(time: number, now: number): string {
  return (Math.abs(now - time) < DAY ? TIME : DATE).format(time)
}
