import { randomUUID } from 'node:crypto'
import { systemClock } from '@troupe/core'
import { createHost, type Host, type HostOptions } from '@troupe/host'
import { openPostgresStore, type PostgresStore } from '@troupe/store-postgres'
import { createDatabase } from '@troupe/testkit/postgres'
import { inject, onTestFinished } from 'vitest'
import { createDbosDispatcher, startWorker, type Worker, type WorkerOptions } from '../../src/index.ts'

/** A database of its own, deleted when the test ends. */
export async function newDatabase(): Promise<string> {
  const database = await createDatabase(inject('postgres'))
  onTestFinished(() => database.drop())
  return database.url
}

/** Opens a store as a process of its own would. */
export async function openStore(url: string): Promise<PostgresStore> {
  return openPostgresStore({
    url,
    clock: systemClock,
    random: Math.random,
    writer: { token: randomUUID(), pid: process.pid, host: 'here', isAlive: () => true },
  })
}

/** Opens a host whose root runs are executed by workers. */
export async function openServer(
  url: string,
  options: Partial<HostOptions>,
): Promise<Host & { readonly store: PostgresStore }> {
  const store = await openStore(url)
  const dispatcher = await createDbosDispatcher({ store, url, clock: systemClock })
  const host = await createHost({ cards: [], config: false, store, dispatcher, ...options })
  onTestFinished(() => host.close())
  return { ...host, store }
}

/** Starts the worker of this process. */
export async function openWorker(
  url: string,
  options: Partial<HostOptions>,
  workerOptions: Partial<WorkerOptions> = {},
): Promise<Worker & { readonly host: Host }> {
  const store = await openStore(url)
  const host = await createHost({ cards: [], config: false, store, ...options })
  const worker = await startWorker({
    id: randomUUID(),
    store,
    url,
    runner: host,
    clock: systemClock,
    process: { host: 'here', pid: process.pid },
    onLost: () => undefined,
    ...workerOptions,
  })
  onTestFinished(async () => {
    await worker.close(0)
    await host.close()
  })
  return Object.assign(worker, { host })
}
