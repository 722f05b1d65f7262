/**
 * Writes the images of the documentation from real runs: a run in a terminal, and the same team on the web page. Needs
 * `pnpm build`, Chromium, and `script` of util-linux.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import xterm from '@xterm/headless'
import { chromium, type Browser } from 'playwright-core'
import { screenHtml } from './screen-html.ts'

const root = resolve(import.meta.dirname, '../..')
const images = join(root, 'docs/images')
const program = join(root, 'apps/cli/dist/bin.js')
const TEAM = 'examples/new-york-london'
const COLUMNS = 104

const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
})
try {
  await writeTerminal(browser)
  await writePage(browser)
} finally {
  await browser.close()
}

/** Runs the team in a terminal and writes what is on its screen at the end. */
async function writeTerminal(from: Browser): Promise<void> {
  const command = `stty cols ${COLUMNS} rows 40; exec ${process.execPath} ${program} run ${TEAM} --no-store`
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      HOME: '/nonexistent',
      TERM: 'xterm-256color',
      SHELL: '/bin/sh',
      LANG: 'C.UTF-8',
    },
  })
  const output = await text(child.stdout)
  const terminal = new xterm.Terminal({ cols: COLUMNS, rows: 40, allowProposedApi: true })
  await new Promise<void>((done) => terminal.write(`$ troupe run ${TEAM}\r\n${output}`, done))
  const page = await from.newPage({ deviceScaleFactor: 1.5 })
  await page.setContent(screenHtml(terminal.buffer.active))
  await page.locator('pre').screenshot({ path: join(images, 'terminal.png') })
  await page.close()
}

/** Serves the team, runs it and writes the page of the run. */
async function writePage(from: Browser): Promise<void> {
  const server = spawn(process.execPath, [program, 'serve', TEAM, '--port', '0', '--no-store'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'], HOME: '/nonexistent' },
  })
  try {
    const url = await addressOf(server.stdout)
    const started = await fetch(`${url}/api/runs`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ q: 'What time is it in New York and London?' }),
    })
    const { runId } = (await started.json()) as { readonly runId: string }
    // the stream of events ends with the run
    await (await fetch(`${url}/api/runs/${runId}/events`)).text()
    const page = await from.newPage({ viewport: { width: 1440, height: 560 } })
    await page.goto(`${url}/#/runs/${runId}`)
    await page.getByText('London-Time[2]').first().waitFor()
    await page.screenshot({ path: join(images, 'page.png') })
    await page.close()
  } finally {
    server.kill('SIGTERM')
    await once(server, 'exit')
  }
}

/** Returns the address that a server prints when it is ready. */
async function addressOf(output: NodeJS.ReadableStream): Promise<string> {
  let printed = ''
  for await (const chunk of output) {
    printed += String(chunk)
    const address = /http:\/\/127\.0\.0\.1:\d+/u.exec(printed)?.[0]
    if (address !== undefined) return address
  }
  throw new Error(`The server did not start: ${printed}`)
}
