import './require-node.ts'
import { systemClock } from '@troupe/core'
import type { RunStore } from '@troupe/schema/ports'
import { createMemoryStore as openMemory } from '@troupe/store'

export type {
  LogEntry,
  RootRunFilter,
  RootRunQuery,
  RootRunRecord,
  RunStore,
  RunTreeLog,
  StoreDetail,
} from '@troupe/schema/ports'
export { openStore } from './open-store.ts'

/** Creates a store that keeps runs in memory until the process ends. */
export function createMemoryStore(): RunStore {
  return openMemory({ clock: systemClock })
}
