import { runStoreContract, scheduleContract, sharedStoreContract } from '@troupe/testkit/contracts'
import { openStore, openStoreFile } from './support/store-file.ts'

runStoreContract(async () => (await openStoreFile()).store)

sharedStoreContract(
  async () => {
    const { path } = await openStoreFile()
    return ({ pid, othersAlive }) =>
      openStore(path, {
        writer: { token: `process ${pid}`, pid, host: 'here', isAlive: () => othersAlive },
      })
  },
  { follows: false },
)
scheduleContract(async () => (await openStoreFile()).store)
