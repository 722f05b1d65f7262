import assert from 'node:assert/strict'
import { cpuOf } from '../cpu.ts'
import type { Effort } from '../probe.ts'
import type { EventStore } from '../stores/event-store.ts'

/** Events that are written between two waits for the disk, over ten roots. */
const BURST = 300

/** µs for each event until it is on the disk: CPU, as the disk itself takes as long for everybody, or wall. */
export async function measureStoreEvents(
  store: EventStore,
  options: Effort & { readonly what: 'cpu' | 'wall' },
): Promise<number> {
  let bursts = 0
  try {
    const cost = await cpuOf(async () => {
      await store.write(BURST)
      bursts += 1
    }, options)
    assert.equal(await store.kept(), bursts * BURST, 'events that are kept')
    return cost[options.what] / BURST
  } finally {
    await store.close()
  }
}
