import { runStoreContract } from '@troupe/testkit/contracts'
import { openStoreFile } from './support/store-file.ts'

runStoreContract(async () => (await openStoreFile()).store)
