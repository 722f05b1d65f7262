// Scripts that run in the page. They are text, because the types of a browser are not those of Node.

/** Records long tasks, and when the first row appears. Runs before the scripts of the page. */
export const OBSERVE = `
  globalThis.benchTasks = []
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.benchTasks.push(duration)
  }).observe({ type: 'longtask', buffered: true })
  const check = () => {
    if (document.querySelector('[role=treeitem], tbody tr:not([aria-hidden])') === null) requestAnimationFrame(check)
    else globalThis.benchRowsAt = performance.now()
  }
  requestAnimationFrame(check)
`

/** Is true once there are rows. */
export const HAS_ROWS = 'globalThis.benchRowsAt !== undefined'

/** Returns what was recorded since the page was opened. */
export const READ_OPENING = `({
  'first paint': performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
  'first rows': globalThis.benchRowsAt ?? NaN,
  'longest task': Math.max(0, ...globalThis.benchTasks),
  elements: document.querySelectorAll('*').length,
})`

/** Returns the time until something was drawn. */
export const READ_PAINT = `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN`

/** Returns the long tasks since the last call, in ms. */
export const TAKE_TASKS = 'globalThis.benchTasks.splice(0)'

/** Opens the closed rows in sight, until there are none. */
export const OPEN_ROWS = `(async () => {
  for (;;) {
    const toggles = document.querySelectorAll('[role=treeitem][aria-expanded=false] [data-toggle]')
    if (toggles.length === 0) return
    for (const toggle of toggles) toggle.click()
    for (let frame = 0; frame < 2; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve))
  }
})()`

/**
 * Scrolls through the rows for two seconds, five rows per frame, turns back at both ends, and returns the times of the
 * frames in ms. Throws if nothing can be scrolled.
 */
export const SCROLL = `(async () => {
  let scroller = document.querySelector('[role=treeitem], tbody tr')?.parentElement ?? null
  const scrolls = (one) =>
    one.scrollHeight > one.clientHeight + 10 && /auto|scroll/u.test(getComputedStyle(one).overflowY)
  while (scroller !== null && !scrolls(scroller)) scroller = scroller.parentElement
  if (scroller === null) throw new Error('The rows cannot be scrolled.')
  const times = []
  const start = performance.now()
  let last = start
  let step = 130
  while (last - start < 2000) {
    const before = scroller.scrollTop
    scroller.scrollTop += step
    if (scroller.scrollTop === before) step = -step
    const now = await new Promise((resolve) => requestAnimationFrame(resolve))
    times.push(now - last)
    last = now
  }
  return times.slice(2)
})()`
