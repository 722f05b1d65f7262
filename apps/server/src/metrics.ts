import type { RunReport } from '@troupe/schema'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { AccessRecord } from './access-record.ts'
import type { RunAdmission } from './admission.ts'
import type { EventLoopWatch } from './event-loop-watch.ts'
import { Tally } from './tally.ts'

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

/** Creates metrics with a registry of their own. */
export function createMetrics(
  admission: Pick<RunAdmission, 'running' | 'waiting'>,
  loop: Pick<EventLoopWatch, 'takeDelays'>,
): Metrics {
  const registry = new Registry()
  const answers = createTally(registry, ['headend', 'method', 'status'], {
    name: 'troupe_http_answers_total',
    help: 'Answers by protocol, method and status.',
  })
  const durations = new Histogram({
    name: 'troupe_http_answer_seconds',
    help: 'From the request to the end of the answer.',
    labelNames: ['headend'],
    buckets: BUCKETS,
    registers: [registry],
  })
  const runs = createTally(registry, ['agent', 'outcome'], {
    name: 'troupe_runs_total',
    help: 'Runs that ended, by agent and outcome.',
  })
  const tokens = createTally(registry, ['agent', 'direction'], {
    name: 'troupe_tokens_total',
    help: 'Tokens that models used, by agent and direction.',
  })
  const cost = createTally(registry, ['agent'], {
    name: 'troupe_cost_usd_total',
    help: 'What models cost, by agent, as far as their prices are known.',
  })
  countRuns(registry, admission)
  measureStalls(registry, loop)
  return {
    answered({ headend = 'none', method, status, durationMs }) {
      answers.add([headend, method, String(status)])
      durations.observe({ headend }, durationMs / 1000)
    },
    ended({ agent, outcome, usage }) {
      runs.add([agent, outcome])
      for (const [name, own] of Object.entries(usage.byAgent)) {
        tokens.add([name, 'in'], own.inputTokens)
        tokens.add([name, 'out'], own.outputTokens)
        cost.add([name], own.cost ?? 0)
      }
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  }
}

/** Creates a counter that is updated when the registry is read. */
function createTally(
  registry: Registry,
  labelNames: readonly string[],
  counter: { readonly name: string; readonly help: string },
): Tally {
  const tally = new Tally()
  const prometheusCounter = new Counter({
    ...counter,
    labelNames: [...labelNames],
    registers: [],
    collect() {
      tally.take((labels, by) =>
        this.inc(Object.fromEntries(labelNames.map((name, index) => [name, labels[index] ?? ''])), by),
      )
    },
  })
  registry.registerMetric(prometheusCounter)
  return tally
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
  gauge('running', 'Runs at work.')
  gauge('waiting', 'Runs that wait for room.')
}

function measureStalls(registry: Registry, loop: Pick<EventLoopWatch, 'takeDelays'>): void {
  // Reading starts a new period, so the gauge that is collected first sets both.
  const percentile = new Gauge({
    name: 'troupe_event_loop_stall_seconds_p99',
    help: '99th percentile of the time that a turn of the event loop was blocked since the last scrape.',
    registers: [],
  })
  const longest = new Gauge({
    name: 'troupe_event_loop_stall_seconds_max',
    help: 'Longest time that the event loop was blocked since the last scrape.',
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
