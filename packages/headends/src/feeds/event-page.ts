import type { RunStore } from '@troupe/schema/ports'

/** Position and size of a page of events. */
export interface EventPageRange {
  /** The `seq` after which the page begins. */
  readonly after: number
  /** Maximum number of events. */
  readonly limit: number
}

/** Number of events read in one turn of the event loop. */
const READ_AT_ONCE = 500
/** Length in characters after which a page ends, so that large results do not fill the memory. */
const MAX_LENGTH = 8 * 1024 * 1024

/**
 * Reads persisted events in order, each as JSON text. Returns fewer than `limit` if they are long, but always at
 * least one if there is one.
 */
export async function readEventPage(
  store: Pick<RunStore, 'events'>,
  runId: string,
  { after, limit }: EventPageRange,
): Promise<readonly string[]> {
  const texts: string[] = []
  let last = after
  let length = 0
  while (texts.length < limit && length < MAX_LENGTH) {
    const size = Math.min(READ_AT_ONCE, limit - texts.length)
    const events = await store.events(runId, { after: last, limit: size })
    for (const event of events) {
      if (length >= MAX_LENGTH) return texts
      const text = JSON.stringify(event)
      length += text.length
      texts.push(text)
      last = event.seq ?? last
    }
    if (events.length < size) return texts
    await new Promise((resolve) => void setImmediate(resolve))
  }
  return texts
}
