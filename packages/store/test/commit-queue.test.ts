import { troupeError, type RunEvent } from '@troupe/schema'
import { RunListeners, type LogEntry } from '@troupe/schema/ports'
import { fakeClock, sampleEvent } from '@troupe/testkit/internal'
import { expect, it } from 'vitest'
import { createCommitQueue } from '../src/sqlite/commit-queue.ts'
import type { OpenRunTree, QueuedEntry } from '../src/sqlite/open-run-tree.ts'

/** Opens a root with a listener that records its events. */
function openRoot(): { readonly root: OpenRunTree; readonly heard: RunEvent[] } {
  const heard: RunEvent[] = []
  const listeners = new RunListeners()
  listeners.add((event) => heard.push(event), { deltas: true, next: 1 })
  const lease = { id: 1, fence: 1, detail: 'full' as const, lastSeq: 0 }
  const counts = { lastSeq: 0, committedSeq: 0, emittedSeq: 0, waiting: 0, written: 0, committed: 0 }
  return { root: { lease, listeners, ...counts, waiters: [], lostReason: undefined }, heard }
}

/** Opens a queue whose commits go nowhere. `sync` stands for the disk. */
function openQueue(sync: () => Promise<void>): {
  readonly slices: (readonly QueuedEntry[])[]
  readonly queue: ReturnType<typeof createCommitQueue>
} {
  const slices: (readonly QueuedEntry[])[] = []
  const queue = createCommitQueue({
    path: 'runs.db',
    clock: fakeClock(),
    random: () => 0,
    sync,
    write: (slice) => {
      slices.push(slice)
      return { lastSeqs: new Map(slice.map(({ root }) => [root, root.committedSeq + slice.length])) }
    },
  })
  return { slices, queue }
}

const anEntry = (): LogEntry => ({ runId: 'run', event: sampleEvent('turn-start') })
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

it('events are delivered only after they are on disk, and later events are committed together', async () => {
  const disk: (() => void)[] = []
  const { queue, slices } = openQueue(() => new Promise((resolve) => disk.push(resolve)))
  const { root, heard } = openRoot()
  queue.add({ root, entry: anEntry() })
  await turn()
  for (let count = 0; count < 3; count += 1) {
    queue.add({ root, entry: anEntry() })
    await turn()
  }
  expect(heard).toEqual([])
  expect(slices.map(({ length }) => length)).toEqual([1])
  disk.shift()?.()
  await turn()
  await turn()
  expect(heard.map(({ seq }) => seq)).toEqual([1])
  expect(slices.map(({ length }) => length)).toEqual([1, 3])
  disk.shift()?.()
  await queue.drain(root)
  expect(heard.map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
})

it('a failed disk write ends the affected root runs, and their events are not delivered', async () => {
  let isBroken = true
  const { queue } = openQueue(async () => {
    if (isBroken) throw troupeError('store_unavailable', 'the disk is broken')
  })
  const [one, two] = [openRoot(), openRoot()]
  queue.add({ root: one.root, entry: anEntry() })
  await queue.drain(one.root)
  isBroken = false
  queue.add({ root: two.root, entry: anEntry() })
  await queue.drain(two.root)
  expect(one.root.lostReason).toMatchObject({ code: 'store_unavailable' })
  expect(one.heard).toEqual([])
  expect(two.root.lostReason).toBeUndefined()
  expect(two.heard).toHaveLength(1)
})
