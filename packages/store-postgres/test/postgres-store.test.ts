import { runStoreContract, scheduleContract, sharedStoreContract } from '@troupe/testkit/contracts'
import { HAS_POSTGRES, POSTGRES_NOTE } from '@troupe/testkit/postgres'
import { describe } from 'vitest'
import { newSchema, openStore, useDatabase } from './support/test-store.ts'

describe.skipIf(!HAS_POSTGRES)(`the PostgreSQL store${POSTGRES_NOTE}`, () => {
  const database = useDatabase()
  runStoreContract(() => openStore({ url: database.url, schema: newSchema() }))
  scheduleContract(() => openStore({ url: database.url, schema: newSchema() }))

  sharedStoreContract(
    async () => {
      const schema = newSchema()
      return ({ pid, othersAlive }) =>
        openStore({
          url: database.url,
          schema,
          writer: { token: `process ${pid}`, pid, host: 'here', isAlive: () => othersAlive },
        })
    },
    { follows: true },
  )
})
