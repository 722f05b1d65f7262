import { TRANSIENT_EVENTS, type Clock, type RunEvent, type RunStore } from '@troupe/schema'
import type { EventSource } from '../event-stream.ts'
import { nextTick } from '../next-tick.ts'
import { runEventBlock } from '../run-event-block.ts'
import { sseBlock } from '../sse-block.ts'
import type { RunHub } from './run-hub.ts'

/** What a client follows. */
export interface Followed {
  readonly runId: string
  /** The last `seq` that the client has; 0: none. */
  readonly after: number
}

/** Where the events of a run come from. */
export interface RunSources {
  readonly store: Pick<RunStore, 'events'>
  readonly hub: Pick<RunHub, 'listen'>
  readonly clock: Clock
  /** The run is at work in this process, so that its events are heard when they happen. */
  isLive(runId: string): boolean
}

const PAGE = 256
/** Most that waits for one client: events, and characters of them. */
const MOST_EVENTS = 256
const MOST_TEXT = 1024 * 1024
/** How often a run of another process is looked at, in ms. */
const POLL_MS = 500

/**
 * The events of a run for one client, from where it left off to the end of the run: those that are kept from the store, at the pace of the client, then
 * live ones. Each kept event comes exactly once and in order. A client that falls behind loses deltas, is told so (`lagged`), and reads the rest from the
 * store; the run waits for nobody.
 */
export function followRun({ runId, after }: Followed, sources: RunSources): EventSource {
  const { store, clock } = sources
  const inbox = createInbox()
  const forget = sources.hub.listen(runId, inbox.push)
  let last = after
  let isStored = true
  let isOver = false

  /** Kept events that the client does not have; empty: it has all. */
  async function readPage(): Promise<string> {
    const page = await store.events(runId, { after: last, limit: PAGE })
    isStored = page.length > 0
    return take(page)
  }

  function take(events: readonly RunEvent[]): string {
    let text = ''
    for (const event of events) {
      if (event.seq !== undefined) last = event.seq
      if (isRootEnd(event)) isOver = true
      text += runEventBlock(event)
    }
    return text
  }

  /** What has been heard and comes next. An event that is not the next one sends the client back to the store. */
  function readInbox(): string {
    const lagged = inbox.takeLag()
    if (lagged !== undefined) {
      isStored = true
      return sseBlock({ from: last, to: lagged }, { event: 'lagged' })
    }
    const heard = inbox.take()
    let text = ''
    for (const [index, event] of heard.entries()) {
      const place = event.seq === undefined ? (event.after ?? 0) : event.seq - 1
      if (place > last) {
        inbox.giveBack(heard.slice(index))
        isStored = true
        break
      }
      if (place === last && !isUnkept(event)) text += take([event])
    }
    return text
  }

  return {
    async next() {
      for (;;) {
        if (isOver || inbox.isClosed) return undefined
        const text = isStored ? await readPage() : readInbox()
        if (text !== '') return text
        if (isStored || inbox.size > 0) continue
        const isLive = sources.isLive(runId)
        await inbox.wait(isLive ? undefined : { clock, ms: POLL_MS })
        await nextTick()
        if (!isLive && inbox.size === 0) isStored = true
      }
    },
    close() {
      forget()
      inbox.close()
    },
  }
}

function isRootEnd(event: RunEvent): boolean {
  return event.type === 'run-end' && event.runId === event.rootRunId
}

/** Told by a run that was left: what is kept of it will say something else. */
function isUnkept(event: RunEvent): boolean {
  return event.seq === undefined && !TRANSIENT_EVENTS.has(event.type)
}

/** What a client has not taken yet, up to a bound. */
interface Inbox {
  readonly size: number
  readonly isClosed: boolean
  push(event: RunEvent): void
  take(): readonly RunEvent[]
  giveBack(events: readonly RunEvent[]): void
  /** The last `seq` that was dropped, once; undefined: none was. */
  takeLag(): number | undefined
  /** Resolves when there is something, or the time is over. */
  wait(limit?: { readonly clock: Clock; readonly ms: number }): Promise<void>
  close(): void
}

function createInbox(): Inbox {
  let events: RunEvent[] = []
  let size = 0
  let lag: number | undefined
  let isClosed = false
  let wake: (() => void) | undefined
  const empty = (): readonly RunEvent[] => {
    const taken = events
    events = []
    size = 0
    return taken
  }
  return {
    get size() {
      return lag === undefined ? events.length : events.length + 1
    },
    get isClosed() {
      return isClosed
    },
    push(event) {
      if (isClosed) return
      events.push(event)
      size += runEventBlock(event).length
      if (events.length > MOST_EVENTS || size > MOST_TEXT) {
        lag = event.seq ?? event.after ?? lag ?? 0
        empty()
      }
      wake?.()
    },
    take: empty,
    giveBack(others) {
      events = [...others, ...events]
    },
    takeLag() {
      const taken = lag
      lag = undefined
      return taken
    },
    async wait(limit) {
      if (isClosed) return
      await new Promise<void>((resolve) => {
        const cancel = limit?.clock.after(limit.ms, resolve)
        wake = () => {
          cancel?.()
          resolve()
        }
      })
      wake = undefined
    },
    close() {
      isClosed = true
      empty()
      wake?.()
    },
  }
}
