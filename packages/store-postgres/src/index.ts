export { openPostgresStore, type PostgresStore, type PostgresStoreOptions } from './open-postgres-store.ts'
