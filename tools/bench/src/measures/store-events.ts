import assert from 'node:assert/strict'
import { cpuOf } from '../cpu.ts'
import type { Effort } from '../probe.ts'
import type { EventStore } from '../stores/event-store.ts'

/** µs for each event until it is on the disk, with so many between two waits for it, over ten roots: CPU, as the disk itself takes as long for everybody, or wall. */
export async function measureStoreEvents(
  store: EventStore,
  options: Effort & { readonly burst: number; readonly what: 'cpu' | 'wall' },
): Promise<number> {
  const { burst, what } = options
  let bursts = 0
  try {
    const cost = await cpuOf(async () => {
      await store.write(burst)
      bursts += 1
    }, options)
    assert.equal(await store.kept(), bursts * burst, 'events that are kept')
    return cost[what] / burst
  } finally {
    await store.close()
  }
}
