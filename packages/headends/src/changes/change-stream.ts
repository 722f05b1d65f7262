import { errorBody, failureFor } from '../headend/errors.ts'
import type { Caller } from '../headend/headend.ts'
import type { EventFeeds } from '../feeds/event-feeds.ts'
import { runRefFor } from '../run-service/run-access.ts'
import type { RunService } from '../run-service/run-service.ts'
import { isEndState } from '../run-service/run-view.ts'
import { sseBlock, type EventProducer } from '../sse/event-stream.ts'
import { mergeProducers } from '../sse/merge-producers.ts'
import type { ChangeScope } from './change-log.ts'
import type { ChangeWatch } from './watch-changes.ts'

/** A request for a stream of changes. */
export interface ChangeRequest {
  readonly scope: ChangeScope
  /** Id of the last change that the client has. */
  readonly after: string | undefined
  /** Runs to follow on the same connection: the last `seq` that the client has, by run id. */
  readonly runs: ReadonlyMap<string, number>
  readonly caller: Caller
}

interface ChangeStreamContext {
  readonly watch: ChangeWatch
  readonly feeds: EventFeeds
  readonly runService: Pick<RunService, 'readState' | 'ownerOf'>
}

/** Opens a stream of changes, with the events of the followed runs. Rejects with `rate_limited`. */
export async function openChangeStream(
  { scope, after, runs, caller }: ChangeRequest,
  context: ChangeStreamContext,
): Promise<EventProducer> {
  const changes = createChangeProducer()
  const counted = context.feeds.open(() => changes.producer, caller.principal)
  try {
    changes.start(await context.watch.open(scope, { after, onChange: changes.notify }))
    const followed = await Promise.all(
      [...runs].map(([runId, last]) => followOrRefuse({ runId, after: last }, caller, context)),
    )
    return mergeProducers([counted, ...followed])
  } catch (thrown) {
    counted.close()
    throw thrown
  }
}

/** Creates a source over a reader of changes that is set later. */
function createChangeProducer() {
  let reader: { next(): string | undefined; close(): void } | undefined
  let listener: (() => void) | undefined
  let isOver = false
  const notify = (): void => listener?.()
  const producer: EventProducer = {
    get isOver() {
      return isOver
    },
    read: () => (isOver ? undefined : reader?.next()),
    onReady(callback) {
      listener = callback
      setImmediate(notify)
    },
    close() {
      isOver = true
      reader?.close()
      notify()
    },
  }
  return {
    producer,
    notify,
    start(opened: NonNullable<typeof reader>) {
      reader = opened
      if (isOver) opened.close()
    },
  }
}

/**
 * Follows a run. A run that the caller cannot follow is reported in the stream, because the others can be followed.
 */
async function followOrRefuse(
  { runId, after }: { readonly runId: string; readonly after: number },
  caller: Caller,
  { feeds, runService }: ChangeStreamContext,
): Promise<EventProducer> {
  try {
    const { principal } = await runRefFor(runId, caller, runService)
    const { lastSeq, state } = await runService.readState(runId, principal)
    if (isEndState(state) && after >= lastSeq) return single({ type: 'run-over', runId })
    return asRunChanges(feeds.follow({ runId, after: Math.min(after, lastSeq) }, caller.principal))
  } catch (thrown) {
    return single({ type: 'run-refused', runId, ...errorBody(failureFor(caller, thrown)) })
  }
}

/** Creates a source of one event. */
function single(change: { readonly type: string; readonly runId: string }): EventProducer {
  let text: string | undefined = sseBlock(change, { event: change.type })
  return {
    get isOver() {
      return text === undefined
    },
    read() {
      const piece = text
      text = undefined
      return piece
    },
    onReady: (listener) => void setImmediate(listener),
    close: () => undefined,
  }
}

/** The start of the block of a run event, and its data. Blocks of other types have an `event` field first. */
const RUN_EVENT_BLOCK = /(?<=^|\n\n)(?:id: \d+\n)?data: (?<json>[^\n]*)/gu

/** Wraps the events of a run as changes, without ids, because the id of the stream is that of the last change. */
function asRunChanges(source: EventProducer): EventProducer {
  return {
    get isOver() {
      return source.isOver
    },
    read() {
      const piece = source.read()
      if (piece === undefined) return undefined
      const text = typeof piece === 'string' ? piece : Buffer.from(piece).toString('utf8')
      return text.replaceAll(RUN_EVENT_BLOCK, 'event: run\ndata: {"type":"run","event":$<json>}')
    },
    onReady: (listener) => source.onReady(listener),
    close: () => source.close(),
  }
}
