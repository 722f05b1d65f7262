import type { RunTreeLog } from '@troupe/schema'
import { openStoreFile } from '../store-file.ts'
import { commonEvent, type EventStore } from './event-store.ts'

const ROOTS = 10

/** The store of SQLite: ten roots share its commits. */
export async function ownStore(): Promise<EventStore> {
  const { store, remove } = await openStoreFile()
  const logs: RunTreeLog[] = []
  for (let index = 0; index < ROOTS; index++) logs.push(await store.open(`root ${index}`, 'bench'))
  return {
    async write(count) {
      for (let index = 0; index < count; index++) {
        const root = index % ROOTS
        logs[root]?.append({ runId: `root ${root}`, event: commonEvent(`root ${root}`, index) })
      }
      for (const log of logs) await log.waitForCommit()
    },
    kept: async () => (await store.roots()).reduce((sum, root) => sum + root.lastSeq, 0),
    async close() {
      await store.close()
      remove()
    },
  }
}
