export { runStoreContract } from './run-store-contract.ts'
export { scheduleContract } from './schedule-contract.ts'
export { sharedStoreContract, type StoreProcess } from './shared-store-contract.ts'
