export { createMemoryStore, type MemoryStoreOptions } from './memory/memory-store.ts'
export type { Failpoint } from './sqlite/write-slice.ts'
export { openSqliteStore, type SqliteStore, type SqliteStoreOptions } from './sqlite/open-sqlite-store.ts'
export type { StoreWriter } from '@troupe/schema/ports'
