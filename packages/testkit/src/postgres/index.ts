export { setup } from './global-setup.ts'
export {
  createDatabase,
  HAS_POSTGRES,
  POSTGRES_NOTE,
  startPostgres,
  type PostgresCluster,
  type PostgresClusterOptions,
  type TestDatabase,
} from './postgres-cluster.ts'
