import type { Attributes } from '@opentelemetry/api'

/** A point in time within a span. */
export interface SpanEvent {
  readonly name: string
  readonly time: number
  readonly attributes: Attributes
}

/** A span that has ended. Times are wall times in ms. */
export interface SpanRecord {
  readonly spanId: string
  /** `undefined` for the root of a trace without a caller. */
  readonly parentId: string | undefined
  readonly name: string
  /** True for a request to another system. */
  readonly isClient: boolean
  readonly start: number
  readonly end: number
  readonly attributes: Attributes
  readonly events: readonly SpanEvent[]
  readonly failure: SpanFailure | undefined
  /** Id of a span of the same trace that this one follows. */
  readonly followsId: string | undefined
}

/** The failure of a span. The message is empty without content. */
export interface SpanFailure {
  readonly code: string
  readonly message: string
}

/** How a span ended. */
export interface SpanEnd {
  readonly name: string
  readonly isClient?: boolean
  readonly time: number
  readonly failure?: SpanFailure | undefined
}

const MAX_EVENTS = 128
const LONGEST_NAME = 200

/** A span that has started. A class, because there are many. */
export class OpenSpan {
  readonly spanId: string
  readonly parentId: string | undefined
  readonly start: number
  readonly attributes: Attributes
  readonly #events: SpanEvent[] = []
  readonly #followsId: string | undefined

  constructor(parts: {
    readonly spanId: string
    readonly parentId: string | undefined
    readonly start: number
    readonly attributes: Attributes
    readonly followsId?: string | undefined
  }) {
    this.spanId = parts.spanId
    this.parentId = parts.parentId
    this.start = parts.start
    this.attributes = parts.attributes
    this.#followsId = parts.followsId
  }

  addEvent(event: SpanEvent): void {
    if (this.#events.length < MAX_EVENTS) this.#events.push(event)
  }

  end({ name, isClient = false, time, failure }: SpanEnd): SpanRecord {
    const { spanId, parentId, start, attributes } = this
    if (failure !== undefined) attributes['error.type'] = failure.code
    return {
      spanId,
      parentId,
      name: name.slice(0, LONGEST_NAME),
      isClient,
      start,
      // the clock of another process may be behind
      end: Math.max(start, time),
      attributes,
      events: this.#events,
      failure,
      followsId: this.#followsId,
    }
  }
}
