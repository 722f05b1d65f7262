import { fakeClock } from '@troupe/testkit/internal'
import { expect, it } from 'vitest'
import { createMetrics } from '../src/app/metrics.ts'
import type { WorkerState } from '../src/index.ts'
import { PARROT, serveTeam } from './support/serve-team.ts'

const STATE: WorkerState = {
  limits: [{ depth: 0, maxRuns: 8 }, { depth: 1 }],
  queues: [{ depth: 0, queued: 3, running: 2, oldestMs: 1500 }],
  workers: [
    { slots: 4, seenMs: 100 },
    { slots: 16, seenMs: 60_000 },
  ],
}

const scrape = async (url: string): Promise<string> => (await fetch(`${url}/metrics`)).text()

it('GET /metrics has the queues with their limits and the live workers in the format of Prometheus', async () => {
  const { url } = await serveTeam({ cards: [PARROT], readWorkers: async () => STATE })
  const lines = (await scrape(url)).split('\n')
  expect(lines.filter((line) => /^troupe_(?:queue|worker)/u.test(line))).toEqual([
    'troupe_queue_runs_queued{depth="0"} 3',
    'troupe_queue_runs_queued{depth="1"} 0',
    'troupe_queue_runs_running{depth="0"} 2',
    'troupe_queue_runs_running{depth="1"} 0',
    'troupe_queue_runs_limit{depth="0"} 8',
    'troupe_queue_oldest_run_seconds{depth="0"} 1.5',
    'troupe_queue_oldest_run_seconds{depth="1"} 0',
    'troupe_workers 1',
    'troupe_worker_slots 4',
    'troupe_workers_readable 1',
  ])
  expect(lines).toContain('# TYPE troupe_workers gauge')
})

it('GET /metrics of a server without workers has no metrics of workers', async () => {
  const { url } = await serveTeam({ cards: [PARROT] })
  expect(await scrape(url)).not.toMatch(/troupe_(?:queue|worker)/u)
})

it('GET /metrics serves the other metrics and reports that the database of the workers is away', async () => {
  const { url } = await serveTeam({
    cards: [PARROT],
    readWorkers: () => Promise.reject(new Error('connection refused')),
  })
  const text = await scrape(url)
  expect(text).toContain('troupe_runs_running 0')
  expect(text.match(/^troupe_(?:queue|worker).*$/gmu)).toEqual(['troupe_workers_readable 0'])
})

it('scrapes share one read of a database that does not answer, and end after the longest wait', async () => {
  const clock = fakeClock()
  let reads = 0
  const read = (): Promise<WorkerState> => {
    reads += 1
    return new Promise(() => undefined)
  }
  const metrics = createMetrics(
    { running: 0, waiting: 0 },
    { takeDelays: () => ({ max: 0, p99: 0 }) },
    { read, clock },
  )
  const texts = [metrics.text(), metrics.text()]
  await clock.advance(2000)
  for (const text of await Promise.all(texts)) expect(text).toContain('troupe_workers_readable 0')
  expect(reads).toBe(1)
})
