import type { Attributes } from '@opentelemetry/api'
import type { MetricKey } from '../conventions/metrics.ts'
import type { OpenSpan, SpanEnd, SpanRecord } from './open-span.ts'
import { PastSpans } from './past-spans.ts'
import type { RunLogRecord, TraceOutput } from './trace-output.ts'

/** The last event before a run was resumed. */
export interface ResumedAfter {
  readonly seq: number
  readonly time: number
}

/** Emits what a reducer derives from events. Of those from before a resume, only spans that may be unsent. */
export class TraceEmitter {
  readonly #output: TraceOutput
  readonly #resumedAfter: ResumedAfter | undefined
  readonly #past: PastSpans | undefined
  #isPast: boolean
  #time = 0
  #followsId: string | undefined

  constructor(output: TraceOutput, resumedAfter: ResumedAfter | undefined) {
    this.#output = output
    this.#resumedAfter = resumedAfter
    this.#past = resumedAfter === undefined ? undefined : new PastSpans(resumedAfter.time)
    this.#isPast = resumedAfter !== undefined
  }

  /** Call before each event. Returns true for the first one after a resume. */
  next({ seq, time }: { readonly seq?: number; readonly time: number }): boolean {
    this.#time = time
    if (!this.#isPast || (seq ?? Infinity) <= (this.#resumedAfter?.seq ?? 0)) return false
    this.#isPast = false
    this.sendPast()
    this.#followsId = this.#past?.lastId
    return true
  }

  /** Emits the spans from before a resume that may be unsent. */
  sendPast(): void {
    for (const record of this.#past?.take() ?? []) this.#output.span(record)
  }

  /** Call when a run is suspended. */
  suspend(): void {
    if (this.#isPast) this.#past?.suspend()
  }

  /** Returns the span before the interruption for the first span after it, and `undefined` for all others. */
  takeFollowsId(): string | undefined {
    const id = this.#followsId
    this.#followsId = undefined
    return id
  }

  end(span: OpenSpan, end: SpanEnd): SpanRecord {
    const record = span.end(end)
    if (this.#isPast) this.#past?.add(record, this.#time)
    else this.#output.span(record)
    return record
  }

  log(record: RunLogRecord): void {
    if (!this.#isPast) this.#output.log(record)
  }

  measure(metric: MetricKey, value: number, attributes: Attributes): void {
    if (!this.#isPast) this.#output.measure(metric, value, attributes)
  }
}
