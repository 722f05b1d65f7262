import { TroupeError, type RunEvent, type RunStore } from '@troupe/schema'

/** Events of a run that could be read. */
export interface ReadableEvents {
  readonly events: readonly RunEvent[]
  /** Error of the first unreadable event; `undefined` if all events could be read. */
  readonly damage?: TroupeError
}

const PAGE = 1024

/** Reads the events of a root run after a `seq`, up to the first damaged one. */
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

/** Returns true if a store threw because its data is corrupt. */
export function isDamage(thrown: unknown): thrown is TroupeError {
  return TroupeError.isInstance(thrown) && thrown.code === 'store_corrupt'
}
