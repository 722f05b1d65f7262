import type { SpanRecord } from './open-span.ts'

/**
 * Time in ms before an interruption in which spans may not have been sent: the delay of a batch, and the time to
 * send it.
 */
const UNSENT_MS = 15_000

/**
 * Spans that had ended before a run was resumed. The process that was interrupted has sent all but the last of
 * them, which are sent again with the same ids.
 */
export class PastSpans {
  readonly #since: number
  #candidates: SpanRecord[] = []
  #lastId: string | undefined

  /** `interruptedAt` is the time of the last event before the interruption. */
  constructor(interruptedAt: number) {
    this.#since = interruptedAt - UNSENT_MS
  }

  /** Id of the last span that had ended. */
  get lastId(): string | undefined {
    return this.#lastId
  }

  /** Adds a span that ended with an event of this time. */
  add(record: SpanRecord, time: number): void {
    this.#lastId = record.spanId
    if (time >= this.#since) this.#candidates.push(record)
  }

  /** Removes all spans so far, because the run was suspended and its process had the time to send them. */
  suspend(): void {
    this.#candidates = []
  }

  /** Removes and returns the spans to send again. */
  take(): readonly SpanRecord[] {
    const taken = this.#candidates
    this.#candidates = []
    return taken
  }
}
