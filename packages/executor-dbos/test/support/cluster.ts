import { randomUUID } from 'node:crypto'
import { systemClock } from '@troupe/core'
import { createHost, type Host, type HostOptions } from '@troupe/host'
import { openPostgresStore, type PostgresStore } from '@troupe/store-postgres'
import type { DeployedTeam, Deployment } from '@troupe/testkit/contracts'
import { createDatabase } from '@troupe/testkit/postgres'
import { expect, inject, onTestFinished } from 'vitest'
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

/** Opens a host whose root runs are executed by workers. Closed when the test ends. */
export async function openServer(
  url: string,
  options: Partial<HostOptions>,
): Promise<Host & { readonly store: PostgresStore }> {
  const server = await createServer(url, options)
  onTestFinished(() => server.close())
  return server
}

async function createServer(
  url: string,
  options: Partial<HostOptions>,
): Promise<Host & { readonly store: PostgresStore }> {
  const store = await openStore(url)
  const dispatcher = await createDbosDispatcher({ store, url, clock: systemClock })
  const host = await createHost({ cards: [], config: false, store, dispatcher, ...options })
  return { ...host, store }
}

/** Starts the worker of this process. Closed when the test ends. */
export async function openWorker(
  url: string,
  options: Partial<HostOptions>,
  workerOptions: Partial<WorkerOptions> = {},
): Promise<Worker & { readonly host: Host }> {
  const worker = await createWorker(url, options, workerOptions)
  onTestFinished(() => closeWorker(worker))
  return worker
}

async function createWorker(
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
  return Object.assign(worker, { host })
}

async function closeWorker(worker: Worker & { readonly host: Host }): Promise<void> {
  await worker.close(0)
  await worker.host.close()
}

/** Opens a server and a worker on a new database. `close` closes both and deletes the database. */
export async function openDeployment(team: DeployedTeam): Promise<Deployment> {
  const database = await createDatabase(inject('postgres'))
  const worker = await createWorker(database.url, team)
  const server = await createServer(database.url, team)
  return {
    ...server,
    waitUntilIdle: () => expect.poll(() => worker.running).toBe(0),
    close: async () => {
      await closeWorker(worker)
      await server.close()
      await database.drop()
    },
  }
}
