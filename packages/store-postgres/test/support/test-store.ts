import { createDatabase } from '@troupe/testkit/postgres'
import { SYSTEM_CLOCK } from '@troupe/testkit/teams'
import { afterAll, beforeAll, inject, onTestFinished } from 'vitest'
import { openPostgresStore, type PostgresStore, type PostgresStoreOptions } from '../../src/index.ts'

/** Creates a database for the tests of a file. */
export function useDatabase(): { readonly url: string } {
  let database: Awaited<ReturnType<typeof createDatabase>> | undefined
  beforeAll(async () => {
    database = await createDatabase(inject('postgres'))
  })
  afterAll(() => database?.drop())
  return {
    get url() {
      return database?.url ?? ''
    },
  }
}

let count = 0

/** Returns the name of a schema that is not in use yet. */
export function newSchema(): string {
  count += 1
  return `test_${count}`
}

/** Opens a store as a process of its own would; it is closed when the test ends. */
export async function openStore(
  options: Partial<PostgresStoreOptions> & { readonly url: string },
): Promise<PostgresStore> {
  count += 1
  const store = await openPostgresStore({
    clock: SYSTEM_CLOCK,
    random: Math.random,
    writer: { token: `store ${count}`, pid: count, host: 'here', isAlive: () => true },
    ...options,
  })
  onTestFinished(() => store.close())
  return store
}
