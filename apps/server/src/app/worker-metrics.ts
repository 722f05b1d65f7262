import type { Clock } from '@troupe/schema'
import { Gauge, type Registry } from 'prom-client'

/** State of the queues and workers that execute the runs of a server. Times are in ms. */
export interface WorkerState {
  /** Queues that the workers have registered, by depth. */
  readonly limits: readonly {
    readonly depth: number
    /** Maximum number of concurrent runs on all workers; `undefined` if there is no limit. */
    readonly maxRuns?: number
  }[]
  /** Queues with runs that have not ended, by depth. */
  readonly queues: readonly {
    readonly depth: number
    readonly queued: number
    readonly running: number
    readonly oldestMs?: number
  }[]
  readonly workers: readonly { readonly slots: number; readonly seenMs: number }[]
}

/** Longest time in ms that a scrape waits for the database. */
const MAX_WAIT_MS = 2000
/** Shortest time in ms between the starts of two reads. */
const MIN_INTERVAL_MS = 1000
/** Workers report every 5 s. One that missed three reports does not count as live. */
const LIVE_MS = 15_000

/** Adds gauges of queues and workers to a registry. Returns a function that updates them and never rejects. */
export function measureWorkers(
  registry: Registry,
  { read, clock }: { readonly read: () => Promise<WorkerState>; readonly clock: Clock },
): () => Promise<void> {
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Gauge({ name: `troupe_${name}`, help, labelNames, registers: [registry] })
  const depth = ['depth'] as const
  const queued = gauge('queue_runs_queued', 'Runs that wait for a worker, by depth.', depth)
  const running = gauge('queue_runs_running', 'Runs that workers execute, by depth.', depth)
  const limit = gauge(
    'queue_runs_limit',
    'Maximum number of concurrent runs on all workers, by depth.',
    depth,
  )
  const oldest = gauge('queue_oldest_run_seconds', 'Age of the oldest queued run, by depth.', depth)
  const workers = gauge('workers', 'Workers that reported within the last 15 seconds.', [])
  const slots = gauge('worker_slots', 'Slots of these workers for each depth.', [])
  const isReadable = gauge('workers_readable', '1 if queues and workers could be read, otherwise 0.', [])

  const show = (state: WorkerState | undefined): void => {
    for (const each of [queued, running, limit, oldest]) each.reset()
    isReadable.set(state === undefined ? 0 : 1)
    if (state === undefined) {
      // Zero would mean that there are no workers.
      workers.remove()
      slots.remove()
      return
    }
    for (const { depth: level, maxRuns } of state.limits) {
      for (const each of [queued, running, oldest]) each.set({ depth: level }, 0)
      if (maxRuns !== undefined) limit.set({ depth: level }, maxRuns)
    }
    for (const queue of state.queues) {
      queued.set({ depth: queue.depth }, queue.queued)
      running.set({ depth: queue.depth }, queue.running)
      oldest.set({ depth: queue.depth }, (queue.oldestMs ?? 0) / 1000)
    }
    const live = state.workers.filter(({ seenMs }) => seenMs < LIVE_MS)
    workers.set(live.length)
    slots.set(live.reduce((sum, worker) => sum + worker.slots, 0))
  }

  let last: { readonly startedAt: number; readonly state: Promise<WorkerState | undefined> } | undefined
  let isReading = false
  const readState = (): Promise<WorkerState | undefined> => {
    const now = clock.now()
    // Scrapes share a read that is in progress, so that queries do not pile up.
    if (last !== undefined && (isReading || now - last.startedAt < MIN_INTERVAL_MS)) return last.state
    isReading = true
    const state = read()
      .catch(() => undefined)
      .finally(() => {
        isReading = false
      })
    last = { startedAt: now, state }
    return state
  }
  return async () => {
    const late = Promise.withResolvers<undefined>()
    const cancel = clock.after(MAX_WAIT_MS, () => late.resolve(undefined))
    show(await Promise.race([readState(), late.promise]))
    cancel()
  }
}
