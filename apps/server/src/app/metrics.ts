import type { Clock, RunReport } from '@troupe/schema'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { AccessRecord } from '../gate/access-log.ts'
import type { RunAdmission } from '../runs/admission.ts'
import type { EventLoopWatch } from './event-loop-watch.ts'
import { measureWorkers, type WorkerState } from './worker-metrics.ts'

/** Prometheus metrics of a server. */
export interface Metrics {
  answered(record: AccessRecord): void
  ended(report: RunReport): void
  /** Returns the metrics in Prometheus' text format. */
  text(): Promise<string>
  readonly contentType: string
}

/** Histogram buckets in seconds, from a fast response to a long run. */
const BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300]

/** Creates metrics with a registry of their own, with those of workers if their state can be read. */
export function createMetrics(
  admission: Pick<RunAdmission, 'running' | 'waiting'>,
  loop: Pick<EventLoopWatch, 'takeDelays'>,
  workers?: { readonly read: () => Promise<WorkerState>; readonly clock: Clock },
): Metrics {
  const registry = new Registry()
  const answers = new Counter({
    name: 'troupe_http_answers_total',
    help: 'Responses by protocol, method and status.',
    labelNames: ['headend', 'method', 'status'],
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'troupe_http_answer_seconds',
    help: 'Time from the request to the end of the response.',
    labelNames: ['headend'],
    buckets: BUCKETS,
    registers: [registry],
  })
  const runs = new Counter({
    name: 'troupe_runs_total',
    help: 'Finished runs by agent and outcome.',
    labelNames: ['agent', 'outcome'],
    registers: [registry],
  })
  const tokens = new Counter({
    name: 'troupe_tokens_total',
    help: 'Tokens used by models, by agent and direction.',
    labelNames: ['agent', 'direction'],
    registers: [registry],
  })
  const cost = new Counter({
    name: 'troupe_cost_usd_total',
    help: 'Cost of model calls by agent, where prices are known.',
    labelNames: ['agent'],
    registers: [registry],
  })
  countRuns(registry, admission)
  measureStalls(registry, loop)
  const updateWorkers = workers === undefined ? undefined : measureWorkers(registry, workers)
  return {
    answered({ headend = 'none', method, status, durationMs }) {
      answers.inc({ headend, method, status })
      durations.observe({ headend }, durationMs / 1000)
    },
    ended({ agent, outcome, usage }) {
      runs.inc({ agent, outcome })
      for (const [name, own] of Object.entries(usage.byAgent)) {
        tokens.inc({ agent: name, direction: 'in' }, own.inputTokens)
        tokens.inc({ agent: name, direction: 'out' }, own.outputTokens)
        cost.inc({ agent: name }, own.cost ?? 0)
      }
    },
    async text() {
      await updateWorkers?.()
      return registry.metrics()
    },
    contentType: registry.contentType,
  }
}

function countRuns(registry: Registry, admission: Pick<RunAdmission, 'running' | 'waiting'>): void {
  const gauge = (state: 'running' | 'waiting', help: string): Gauge =>
    new Gauge({
      name: `troupe_runs_${state}`,
      help,
      registers: [registry],
      collect() {
        this.set(admission[state])
      },
    })
  gauge('running', 'Active runs.')
  gauge('waiting', 'Queued runs.')
}

function measureStalls(registry: Registry, loop: Pick<EventLoopWatch, 'takeDelays'>): void {
  // Reading starts a new period, so the gauge that is collected first sets both.
  const percentile = new Gauge({
    name: 'troupe_event_loop_stall_seconds_p99',
    help: '99th percentile of the event loop delay since the last scrape.',
    registers: [],
  })
  const longest = new Gauge({
    name: 'troupe_event_loop_stall_seconds_max',
    help: 'Longest event loop delay since the last scrape.',
    registers: [],
    collect() {
      const { max, p99 } = loop.takeDelays()
      this.set(max)
      percentile.set(p99)
    },
  })
  registry.registerMetric(longest)
  registry.registerMetric(percentile)
}
