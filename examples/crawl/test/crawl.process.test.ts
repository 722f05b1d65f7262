import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { createDatabase, HAS_POSTGRES, POSTGRES_NOTE } from '@troupe/testkit/postgres'
import type { RunEvent } from 'troupe'
import { expect, inject, it, onTestFinished } from 'vitest'
import { startSite } from '../site.ts'

const folder = path.join(import.meta.dirname, '..')
const troupe = ['--conditions=@troupe/source', path.join(folder, '../../apps/cli/src/bin.ts')]

/** Starts a command on the team. It is killed at the end of the test. */
function start(store: string, command: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, [...troupe, command, 'team', '--config', 'local.json', ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, TROUPE_STORE: store },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exit = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exit
  })
  return child
}

/** Starts a worker, and returns when it takes runs. */
async function startWorker(store: string): Promise<ChildProcess> {
  const worker = start(store, 'worker', '--slots', '3')
  const [line] = (await once(createInterface(worker.stderr), 'line')) as [string]
  expect(line).toContain('takes runs of crawler, reader')
  return worker
}

it.skipIf(!HAS_POSTGRES)(
  `two workers read each page of a site once, although one of them is killed${POSTGRES_NOTE}`,
  { timeout: 300_000 },
  async () => {
    const { url, drop } = await createDatabase(inject('postgres'))
    onTestFinished(drop)
    const site = await startSite()
    onTestFinished(() => site.close())
    const [killed] = await Promise.all([startWorker(url), startWorker(url)])
    const run = start(url, 'run', site.url, '--executor', 'dbos', '--events', '--quiet')
    const printed = text(run.stdout)
    await expect.poll(() => site.requests.length, { timeout: 120_000 }).toBeGreaterThan(4)
    killed.kill('SIGKILL')
    const events = (await printed)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as RunEvent)
    const ends = events.flatMap((event) => (event.type === 'run-end' ? [event] : []))
    expect(new Set(ends.map(({ outcome }) => outcome))).toEqual(new Set(['completed']))
    const pages = ends.flatMap(({ output, depth }) =>
      depth === 0 ? [] : [Number(/page \/(?<page>\d+)\.txt/u.exec(output.text ?? '')?.groups?.['page'])],
    )
    expect(pages.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    expect(ends.filter(({ depth }) => depth === 0)).toHaveLength(1)
  },
)
