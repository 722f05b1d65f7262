import assert from 'node:assert/strict'
import { cpuOf } from '../cpu.ts'
import type { Effort } from '../probe.ts'
import type { EventStore } from '../stores/event-store.ts'

/** Events that are written between two waits for the disk, over ten roots. */
const BURST = 300

/** CPU µs for each event until it is on the disk: the disk itself takes as long for everybody. */
export async function measureStoreEvents(store: EventStore, effort: Effort): Promise<number> {
  let bursts = 0
  try {
    const { cpu } = await cpuOf(async () => {
      await store.write(BURST)
      bursts += 1
    }, effort)
    assert.equal(await store.kept(), bursts * BURST, 'events that are kept')
    return cpu / BURST
  } finally {
    await store.close()
  }
}
