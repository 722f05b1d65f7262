export { runStoreContract } from './run-store/run-store-contract.ts'
