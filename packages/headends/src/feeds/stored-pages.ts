import type { RunEvent } from '@troupe/schema'
import type { RunStore } from '@troupe/schema/ports'
import { runEventBlock } from '../sse/sse-block.ts'

/** Persisted events of a run, formatted once for all clients. */
export interface StoredPage {
  /** Formatted events; empty if there are none. */
  readonly bytes: Uint8Array
  /** The `seq` of the last event. */
  readonly last: number
  /** True if the page holds the end of the run. */
  readonly isEnd: boolean
  /** True if there may be more events. */
  readonly isFull: boolean
}

/** Reader of the persisted events of runs, page by page. */
export interface StoredPages {
  /** Returns the events after a `seq`. Calls in the same turn of the event loop share one read. */
  read(runId: string, after: number): Promise<StoredPage>
}

const PAGE = 256
/** Maximum size of the full pages in the cache, in bytes. Full pages do not change. */
const MAX_BYTES = 8 * 1024 * 1024

/** Creates a page reader over a store. */
export function createStoredPages(store: Pick<RunStore, 'events'>): StoredPages {
  const pending = new Map<string, Promise<StoredPage>>()
  const full = new Map<string, StoredPage>()
  let size = 0

  async function load(key: string, runId: string, after: number): Promise<StoredPage> {
    await new Promise((resolve) => void setImmediate(resolve))
    pending.delete(key)
    const events = await store.events(runId, { after, limit: PAGE })
    const page = toPage(events, after)
    if (page.isFull && !full.has(key)) cachePage(key, page)
    return page
  }

  function cachePage(key: string, page: StoredPage): void {
    full.set(key, page)
    size += page.bytes.length
    for (const [oldest, { bytes }] of full) {
      if (size <= MAX_BYTES) return
      full.delete(oldest)
      size -= bytes.length
    }
  }

  return {
    async read(runId, after) {
      const key = `${after} ${runId}`
      const cached = full.get(key) ?? pending.get(key)
      if (cached !== undefined) return cached
      const page = load(key, runId, after)
      pending.set(key, page)
      return page
    },
  }
}

function toPage(events: readonly RunEvent[], after: number): StoredPage {
  return {
    bytes: Buffer.from(events.map(runEventBlock).join('')),
    last: events.at(-1)?.seq ?? after,
    isEnd: events.some(({ type, runId, rootRunId }) => type === 'run-end' && runId === rootRunId),
    isFull: events.length === PAGE,
  }
}
