import type { Browser, Page } from 'playwright-core'
import { HAS_ROWS, OBSERVE, OPEN_ROWS, READ_OPENING, SCROLL, TAKE_TASKS } from './page-scripts.ts'

/** Times that a user waits, and the work of the browser in between. Times are in ms, sizes in bytes. */
export type Figures = Readonly<Record<string, number>>

/** Time in ms after the first rows in which the rest of a history is loaded. */
const REST_MS = 1500

/** Opens an empty page of a new browser profile, without a cache. */
export async function newPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const page = await context.newPage()
  page.setDefaultTimeout(120_000)
  await page.addInitScript(OBSERVE)
  return page
}

/** Opens an address and returns the time until something and until rows were drawn. */
export async function measureOpening(page: Page, url: string): Promise<Figures> {
  await page.goto(url)
  // The policy of the page forbids `waitForFunction` with a text.
  while (!(await page.evaluate<boolean>(HAS_ROWS))) await page.waitForTimeout(50)
  await page.waitForTimeout(REST_MS)
  return page.evaluate<Figures>(READ_OPENING)
}

/** Opens the rows in sight, scrolls through all rows for two seconds and returns the times of frames. */
export async function measureScrolling(page: Page): Promise<Figures> {
  await page.evaluate(OPEN_ROWS)
  const frames = await page.evaluate<readonly number[]>(SCROLL)
  const sorted = frames.toSorted((a, b) => a - b)
  return {
    'frame p95': sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN,
    'frame max': sorted.at(-1) ?? Number.NaN,
  }
}

/** Returns the size of the used heap after a garbage collection. */
export async function measureHeap(page: Page): Promise<Figures> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  await session.send('Performance.enable')
  const { metrics } = await session.send('Performance.getMetrics')
  return { heap: metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? Number.NaN }
}

/** Returns how busy the main thread of a page is while it waits, in percent, and its long tasks. */
export async function measureBusy(page: Page, ms: number): Promise<Figures> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const readBusy = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000
  }
  await page.evaluate(TAKE_TASKS)
  const before = await readBusy()
  await page.waitForTimeout(ms)
  const busy = (((await readBusy()) - before) / ms) * 100
  const tasks = await page.evaluate<readonly number[]>(TAKE_TASKS)
  return { busy, 'long tasks': tasks.length, 'longest task': Math.max(0, ...tasks) }
}
