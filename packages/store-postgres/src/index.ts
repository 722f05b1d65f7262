export { isTemporaryFault } from './connection/store-failure.ts'
export { openPostgresStore, type PostgresStore, type PostgresStoreOptions } from './open-postgres-store.ts'
