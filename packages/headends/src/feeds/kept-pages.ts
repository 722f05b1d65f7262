import type { RunEvent, RunStore } from '@troupe/schema'
import { runEventBlock } from '../run-event-block.ts'

/** Some kept events of a run, written once for all who ask for them. */
export interface KeptPage {
  /** Empty: there are none. */
  readonly bytes: Uint8Array
  /** The `seq` of the last one. */
  readonly last: number
  /** The end of the run is among them. */
  readonly isEnd: boolean
  /** There may be more. */
  readonly isFull: boolean
}

/** Reads what is kept of runs, page by page. */
export interface KeptPages {
  /** What comes after a `seq`. It is read after it was asked for, once for all who ask in the same turn of the event loop. */
  read(runId: string, after: number): Promise<KeptPage>
}

const PAGE = 256
/** Full pages change no more; so many bytes of those asked for last are kept. */
const MOST_BYTES = 8 * 1024 * 1024

/** Pages out of a store. */
export function createKeptPages(store: Pick<RunStore, 'events'>): KeptPages {
  const asked = new Map<string, Promise<KeptPage>>()
  const full = new Map<string, KeptPage>()
  let size = 0

  async function load(key: string, runId: string, after: number): Promise<KeptPage> {
    await new Promise((resolve) => void setImmediate(resolve))
    asked.delete(key)
    const events = await store.events(runId, { after, limit: PAGE })
    const page = toPage(events, after)
    if (page.isFull && !full.has(key)) keep(key, page)
    return page
  }

  function keep(key: string, page: KeptPage): void {
    full.set(key, page)
    size += page.bytes.length
    for (const [oldest, { bytes }] of full) {
      if (size <= MOST_BYTES) return
      full.delete(oldest)
      size -= bytes.length
    }
  }

  return {
    async read(runId, after) {
      const key = `${after} ${runId}`
      const known = full.get(key) ?? asked.get(key)
      if (known !== undefined) return known
      const reading = load(key, runId, after)
      asked.set(key, reading)
      return reading
    },
  }
}

function toPage(events: readonly RunEvent[], after: number): KeptPage {
  return {
    bytes: Buffer.from(events.map(runEventBlock).join('')),
    last: events.at(-1)?.seq ?? after,
    isEnd: events.some(({ type, runId, rootRunId }) => type === 'run-end' && runId === rootRunId),
    isFull: events.length === PAGE,
  }
}
