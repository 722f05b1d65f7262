export { runStoreContract } from './run-store.ts'
