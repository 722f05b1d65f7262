import { TroupeError, type RunEvent, type RunStore } from '@troupe/schema'

/** What can be read of a root. */
export interface ReadableEvents {
  readonly events: readonly RunEvent[]
  /** What is wrong with the event after them; undefined: there is none. */
  readonly damage?: TroupeError
}

const PAGE = 1024

/** The events of a root after a `seq`, as far as they are what was written. */
export async function readableEvents(
  store: Pick<RunStore, 'events'>,
  rootRunId: string,
  { after: first = 0 }: { readonly after?: number } = {},
): Promise<ReadableEvents> {
  const events: RunEvent[] = []
  let limit = PAGE
  for (;;) {
    const after = events.at(-1)?.seq ?? first
    try {
      const page = await store.events(rootRunId, { after, limit })
      events.push(...page)
      if (page.length < limit) return { events }
    } catch (thrown) {
      if (!isDamage(thrown)) throw thrown
      if (limit === 1) return { events, damage: thrown }
      limit = Math.ceil(limit / 2)
    }
  }
}

/** Something thrown by a store says that what it holds is not what was written. */
export function isDamage(thrown: unknown): thrown is TroupeError {
  return TroupeError.isInstance(thrown) && thrown.code === 'store_corrupt'
}
