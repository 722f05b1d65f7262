/**
 * Measures the web page in Chromium on a server with runs of 100, 5,000 and 50,000 events, with an active run of 40
 * children, and while the list of runs is open. Prints a table, and with `--json` the figures. Needs `pnpm build` and
 * Chromium; without Chromium it prints NOT RUN.
 */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { systemClock } from '@troupe/core'
import { createHost } from '@troupe/host'
import { createServer } from '@troupe/server'
import { openSqliteStore } from '@troupe/store'
import { chromium, type Browser } from 'playwright-core'
import { createTempFolder } from '../temp-folder.ts'
import { openByteCounter, type ByteCounter } from './byte-counter.ts'
import { storeRun } from './fill-store.ts'
import { liveTeam } from './live-team.ts'
import {
  measureBusy,
  measureHeap,
  measureOpening,
  measureScrolling,
  newPage,
  type Figures,
} from './measure-view.ts'
import { READ_PAINT } from './page-scripts.ts'

const { values: options } = parseArgs({
  options: {
    events: { type: 'string', default: '100,5000,50000' },
    children: { type: 'string', default: '40' },
    seconds: { type: 'string', default: '60' },
    json: { type: 'string' },
  },
})
const SIZES = options.events.split(',').map(Number)
const LIVE_MS = 8000
/** Interval at which runs start while the list is open, in ms. */
const RUN_EVERY_MS = 5000

const UNITS: Readonly<Record<string, string>> = {
  bytes: 'kB',
  heap: 'MB',
  busy: '%',
  elements: '',
  'long tasks': '',
}

const path = [process.env['CHROMIUM_PATH'], '/usr/bin/chromium', chromium.executablePath()].find(
  (one) => one !== undefined && existsSync(one),
)
if (path === undefined) console.log('NOT RUN: chromium is missing')
else await measureAll(path)

async function measureAll(executablePath: string): Promise<void> {
  const folder = createTempFolder()
  const store = await openSqliteStore({
    path: join(folder.path, 'runs.db'),
    clock: systemClock,
    random: Math.random,
    writer: { token: randomUUID(), pid: process.pid, host: hostname(), isAlive: () => true },
  })
  for (const events of SIZES)
    await storeRun(store, { runId: `run_${events}`, events, startedAt: Date.now() - 3_600_000 })
  const team = liveTeam({ children: Number(options.children), forMs: LIVE_MS + 4000 })
  const host = await createHost({ ...team, config: false, cwd: folder.path, store })
  for (let run = 0; run < 120; run += 1)
    await storeRun(store, { runId: `run_small_${run}`, events: 20, startedAt: Date.now() - 60_000 })
  const counter = await openByteCounter()
  const server = await createServer({
    host,
    store,
    clock: systemClock,
    newId: randomUUID,
    port: 0,
    allowedOrigins: [counter.url],
  })
  counter.connectTo(server.url)
  const browser = await chromium.launch({ executablePath })
  const rows = new Map<string, Figures>()
  const save = (name: string, figures: Figures): void => {
    console.error(`${name}: measured`)
    rows.set(name, figures)
  }
  try {
    save('first page', await measureFirstPage(browser, counter))
    for (const events of SIZES)
      save(`run of ${events} events`, await measureRun(browser, counter, `#/runs/run_${events}`))
    save(`${options.children} live children`, await measureLive(browser, counter))
    save(
      `list for ${options.seconds} s`,
      await measureList(browser, counter, () => host.run('Writer', 'Short')),
    )
  } finally {
    await browser.close()
    counter.close()
    await server.close()
    await host.close()
    await store.close()
    folder.remove()
  }
  console.log(toTable(rows))
  if (options.json !== undefined)
    await writeFile(options.json, `${JSON.stringify(Object.fromEntries(rows), undefined, 2)}\n`)
}

async function measureFirstPage(browser: Browser, counter: ByteCounter): Promise<Figures> {
  const page = await newPage(browser)
  counter.take()
  await page.goto(`${counter.url}/`)
  await page.getByRole('textbox', { name: 'Message to' }).waitFor()
  await page.waitForTimeout(1000)
  const paint = await page.evaluate<number>(READ_PAINT)
  const figures = { 'first paint': paint, bytes: counter.take(), ...(await measureHeap(page)) }
  await page.context().close()
  return figures
}

async function measureRun(browser: Browser, counter: ByteCounter, address: string): Promise<Figures> {
  const page = await newPage(browser)
  counter.take()
  const opening = await measureOpening(page, `${counter.url}/${address}`)
  const bytes = counter.take()
  const figures = { ...opening, bytes, ...(await measureScrolling(page)), ...(await measureHeap(page)) }
  await page.context().close()
  return figures
}

async function measureLive(browser: Browser, counter: ByteCounter): Promise<Figures> {
  const response = await fetch(`${counter.url}/api/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ agent: 'Live', q: 'Go' }),
  })
  const { runId } = (await response.json()) as { readonly runId: string }
  const page = await newPage(browser)
  await page.goto(`${counter.url}/#/runs/${runId}`)
  const fanOut = page.getByRole('treeitem').nth(1)
  await fanOut.click()
  await page.keyboard.press('ArrowRight')
  await page.getByRole('treeitem').nth(5).waitFor()
  counter.take()
  const figures = { ...(await measureBusy(page, LIVE_MS)), bytes: counter.take() }
  await page.context().close()
  return figures
}

/** Keeps the list of runs open while runs start and end. */
async function measureList(
  browser: Browser,
  counter: ByteCounter,
  startRun: () => Promise<unknown>,
): Promise<Figures> {
  const page = await newPage(browser)
  const opening = await measureOpening(page, `${counter.url}/#/runs`)
  counter.take()
  const timer = setInterval(() => void startRun(), RUN_EVERY_MS)
  const busy = await measureBusy(page, Number(options.seconds) * 1000)
  clearInterval(timer)
  const bytes = counter.take()
  const figures = {
    ...opening,
    ...busy,
    bytes,
    ...(await measureScrolling(page)),
    ...(await measureHeap(page)),
  }
  await page.context().close()
  return figures
}

/** Formats the figures as a Markdown table, with one column for each figure. */
function toTable(rows: ReadonlyMap<string, Figures>): string {
  const columns = [...new Set([...rows.values()].flatMap((figures) => Object.keys(figures)))]
  const lines = [...rows].map(([name, figures]) => [
    name,
    ...columns.map((column) => format(column, figures[column])),
  ])
  const all = [['', ...columns.map(withUnit)], ['', ...columns].map(() => '---'), ...lines]
  return all.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function withUnit(column: string): string {
  const unit = UNITS[column] ?? 'ms'
  return unit === '' ? column : `${column}, ${unit}`
}

function format(column: string, value: number | undefined): string {
  if (value === undefined) return ''
  if (column === 'bytes') return (value / 1000).toFixed(1)
  return column === 'heap' ? (value / 1_000_000).toFixed(1) : value.toFixed(0)
}
