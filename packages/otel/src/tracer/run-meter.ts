import type { Attributes, Counter, Histogram, Meter } from '@opentelemetry/api'
import type { Resource } from '@opentelemetry/resources'
import {
  MeterProvider,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from '@opentelemetry/sdk-metrics'
import { METRICS, type MetricKey } from '../conventions/metrics.ts'
import { watchExporter, type Delivery } from './delivery.ts'
import { SCOPE } from './scope.ts'

/** Measures runs, and sends the metrics once a minute. */
export interface RunMeter {
  measure(metric: MetricKey, value: number, attributes: Attributes): void
  flush(): Promise<void>
  shutdown(): Promise<void>
}

/** Creates a meter. Nothing is registered globally. */
export function createRunMeter(
  exporter: PushMetricExporter,
  { resource, delivery }: { readonly resource: Resource; readonly delivery: Delivery },
): RunMeter {
  const reader = new PeriodicExportingMetricReader({
    exporter: watchExporter(exporter, (_metrics, result) => {
      delivery.accept(Infinity)
      delivery.settle(1, result)
    }),
  })
  const provider = new MeterProvider({ resource, readers: [reader] })
  const meter = provider.getMeter(SCOPE)
  const instruments = new Map<MetricKey, (value: number, attributes: Attributes) => void>()
  return {
    measure(metric, value, attributes) {
      let record = instruments.get(metric)
      if (record === undefined) {
        record = createInstrument(meter, metric)
        instruments.set(metric, record)
      }
      record(value, attributes)
    },
    flush: () => provider.forceFlush(),
    shutdown: () => provider.shutdown(),
  }
}

function createInstrument(meter: Meter, metric: MetricKey): (value: number, attributes: Attributes) => void {
  const { name, buckets, ...options }: InstrumentOptions = METRICS[metric]
  if (buckets === undefined) {
    const counter: Counter = meter.createCounter(name, options)
    return (value, attributes) => counter.add(value, attributes)
  }
  const histogram: Histogram = meter.createHistogram(name, {
    ...options,
    advice: { explicitBucketBoundaries: [...buckets] },
  })
  return (value, attributes) => histogram.record(value, attributes)
}

interface InstrumentOptions {
  readonly name: string
  readonly unit: string
  readonly description: string
  /** `undefined` for a counter. */
  readonly buckets?: readonly number[]
}
