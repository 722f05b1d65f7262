import {
  toFailure,
  type EventDraft,
  type EventPayloads,
  type EventType,
  type Failure,
  type Json,
  type RunEvent,
  type RunListener,
} from '@troupe/schema'
import {
  EVENT_ENVELOPE_KEYS,
  type EventEnvelope,
  type RunControl,
  assignSequence,
  type LogEntry,
  type RunTreeLog,
} from '@troupe/schema/ports'
import { onCallerCancel, raceCancellation } from '../run/cancellation.ts'
import { CLEANUP_MS, withTimeout } from '../run/clock.ts'
import { redacted, sealed, type Run } from '../run/run.ts'
import type { Journal } from './resume-state.ts'

/** A run whose events can be appended. */
export interface LoggedRun extends Run {
  readonly log: RunLog
}

/** A stored fact from which a run can be resumed. */
export interface RunStep {
  readonly key: string
  readonly value: Json
}

/** Adds the log to a run. `journal` is its state from before an interruption, if it was resumed. */
export function createLoggedRun(run: Run, journal: Journal | undefined): LoggedRun {
  return { ...run, log: new RunLog(run, journal) }
}

/** The events and steps of one run, in the log of its run tree. */
class RunLog {
  /** State from before an interruption. `undefined` if the run was not resumed. */
  readonly journal: Journal | undefined
  /** Children whose failure is already among the problems. */
  readonly reportedChildren: Set<string> = new Set()
  /** True once the end is appended. No event may follow. */
  hasEnded = false
  readonly #run: Run

  constructor(run: Run, journal: Journal | undefined) {
    this.#run = run
    this.journal = journal
  }

  /** True if events have a listener or are stored. Costly events are only created in that case. */
  get hasListeners(): boolean {
    const { log } = this.#run.root
    return log.isActive || log.isPersistent
  }

  /** True if events are stored. Steps are only created in that case. */
  get isPersistent(): boolean {
    return this.#run.root.log.isPersistent
  }

  /** Appends an event, optionally with a step. Secrets are redacted in the event and sealed in the step. */
  appendEvent<T extends EventType>(
    type: T,
    payload: EventPayloads[T],
    options: { readonly callId?: string | undefined; readonly step?: RunStep | undefined } = NO_OPTIONS,
  ): void {
    if (this.hasListeners) this.appendDraft(this.#toEvent(type, payload, options.callId), options.step)
  }

  /** Appends a complete event. A single literal with {@link envelope} costs half as much as {@link appendEvent}. */
  appendDraft(event: EventDraft, step?: RunStep): void {
    // a resumed run repeats events that are already stored
    if (this.journal?.isStored(event) === true) return
    const run = this.#run
    const { runId } = run.request
    const redactedEvent = run.root.redactor === undefined ? event : this.#withoutSecrets(event)
    run.root.log.append(
      step === undefined || !this.isPersistent
        ? { runId, event: redactedEvent }
        : { runId, event: redactedEvent, step: sealed(run, step) },
    )
  }

  /** Stores a step without an event. */
  appendStep(step: RunStep): void {
    const run = this.#run
    if (this.isPersistent) run.root.log.append({ runId: run.request.runId, step: sealed(run, step) })
  }

  /** Emits a transient event, if a listener wants deltas. */
  emitTransient<T extends EventType>(type: T, payload: EventPayloads[T], callId?: string): void {
    const { log } = this.#run.root
    if (log.hasDeltaListeners) log.emitTransient(this.#withoutSecrets(this.#toEvent(type, payload, callId)))
  }

  /** Creates the envelope of an event of the run. Built directly, because every event needs one. */
  envelope<T extends EventType>(type: T, callId?: string): EventEnvelope<T> {
    const { request, root, depth, definition } = this.#run
    const { runId, rootRunId, parentRunId, agent, instance } = request
    const fields = { time: root.clock.now(), runId, rootRunId, agent: agent.name, instance, depth, type }
    const envelope: { -readonly [K in keyof EventEnvelope<T>]: EventEnvelope<T>[K] } = fields
    if (parentRunId !== undefined) envelope.parentRunId = parentRunId
    if (callId !== undefined) envelope.callId = callId
    const { toolName } = definition
    if (depth > 0 && toolName !== undefined) envelope.calledAs = toolName
    return envelope
  }

  /** Waits until all appended events are persisted. Cancels the run if the store fails. */
  async waitUntilPersisted(): Promise<void> {
    const { root, cancellation } = this.#run
    try {
      const persisting = root.log.waitForCommit()
      if (persisting !== undefined) await raceCancellation(persisting, cancellation)
    } catch (thrown) {
      cancellation.cancel(toFailure(thrown))
    }
  }

  /**
   * Waits until the end of a root run is persisted. Returns the failure if the store fails. If the caller
   * cancels, waits at most {@link CLEANUP_MS} longer.
   */
  async waitUntilEndPersisted(control: Pick<RunControl, 'stop' | 'signal'>): Promise<Failure | undefined> {
    const { root } = this.#run
    const persisting = root.log.waitForCommit()
    if (persisting === undefined) return undefined
    const cancelled = Promise.withResolvers<void>()
    const unsubscribe = onCallerCancel(control, () =>
      cancelled.resolve(withTimeout(persisting, CLEANUP_MS, root.clock)),
    )
    try {
      await Promise.race([persisting, cancelled.promise])
      return undefined
    } catch (thrown) {
      return toFailure(thrown)
    } finally {
      unsubscribe()
    }
  }

  #toEvent<T extends EventType>(type: T, payload: EventPayloads[T], callId: string | undefined): EventDraft {
    return Object.assign(this.envelope(type, callId), payload) as unknown as EventDraft
  }

  #withoutSecrets(event: EventDraft): EventDraft {
    const redactedEvent = redacted(this.#run, event)
    if (redactedEvent === event) return event
    // names and ids are not redacted, even if they contain a secret
    const entries = EVENT_ENVELOPE_KEYS.filter((key) => event[key] !== undefined).map((key) => [
      key,
      event[key],
    ])
    return { ...redactedEvent, ...(Object.fromEntries(entries) as Partial<EventDraft>) } as EventDraft
  }
}

const NO_OPTIONS = Object.freeze({})

/** Creates a log that stores nothing and calls its listeners synchronously. The default of the library. */
export function createDiscardingLog(): RunTreeLog {
  const listeners = new Map<RunListener, boolean>()
  let all: readonly RunListener[] = []
  let watchers: readonly RunListener[] = []
  let seq = 0
  const log = {
    isActive: false,
    hasDeltaListeners: false,
    isPersistent: false,
    append: ({ event }: LogEntry) => {
      if (event === undefined || !log.isActive) return
      seq += 1
      deliver(all, assignSequence(event, { seq }))
    },
    emitTransient: (event: EventDraft) => deliver(watchers, assignSequence(event, { after: seq })),
    waitForCommit: () => undefined,
    steps: () => new Map<string, Json>(),
    subscribe: (listener: RunListener, options?: { readonly deltas?: boolean }) => {
      listeners.set(listener, options?.deltas ?? true)
      refresh()
      return () => {
        listeners.delete(listener)
        refresh()
      }
    },
    close: () => {
      listeners.clear()
      refresh()
    },
  }
  const refresh = (): void => {
    all = [...listeners.keys()]
    watchers = all.filter((listener) => listeners.get(listener))
    log.isActive = all.length > 0
    log.hasDeltaListeners = watchers.length > 0
  }
  return log
}

function deliver(listeners: readonly RunListener[], event: RunEvent): void {
  for (const listener of listeners) {
    try {
      listener(event)
    } catch {
      // a listener that throws must not end the run
    }
  }
}

/**
 * A queue between a run, which never waits, and a reader, which may. Iterates over the events in order until
 * it is closed.
 */
export interface EventQueue extends AsyncIterable<RunEvent> {
  readonly push: RunListener
  close(): void
}

/** Creates an unbounded queue: a slow reader misses nothing and does not slow down the run. */
export function createEventQueue(): EventQueue {
  const waiting: RunEvent[] = []
  let wake: (() => void) | undefined
  let isClosed = false
  const notify = (): void => {
    wake?.()
    wake = undefined
  }
  return {
    push: (event) => {
      waiting.push(event)
      notify()
    },
    close: () => {
      isClosed = true
      notify()
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const batch = waiting.splice(0)
        yield* batch
        if (batch.length > 0) continue
        if (isClosed) return
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}
