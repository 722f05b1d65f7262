export { setup } from './global-setup.ts'
export { HAS_POSTGRES, POSTGRES_NOTE } from './postgres-binaries.ts'
export {
  createDatabase,
  startPostgres,
  type PostgresCluster,
  type PostgresClusterOptions,
  type TestDatabase,
} from './postgres-cluster.ts'
