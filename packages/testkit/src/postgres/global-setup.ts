import type { TestProject } from 'vitest/node'
import { HAS_POSTGRES, startPostgres } from './postgres-cluster.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the PostgreSQL server of the test run; empty if there is none for this platform. */
    readonly postgres: string
  }
}

/**
 * Starts a PostgreSQL server for the tests of a project, which get its address with `inject('postgres')`. For
 * `globalSetup` in the configuration of vitest.
 */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (!HAS_POSTGRES) {
    project.provide('postgres', '')
    return undefined
  }
  const cluster = await startPostgres({ fsync: false })
  project.provide('postgres', cluster.url)
  return () => cluster.stop()
}
