import { once } from 'node:events'
import { hostname } from 'node:os'
import type { RunEvent } from '@troupe/schema'
import { createDatabase, HAS_POSTGRES, POSTGRES_NOTE, startPostgres } from '@troupe/testkit/postgres'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { PostgresStore } from '../src/index.ts'
import { isRunning, startWriter, useWriters, type Writer } from './support/start-writer.ts'
import { openStore, useDatabase } from './support/test-store.ts'

const KILLS = 5
const here = { writer: { token: 'test', pid: process.pid, host: hostname(), isAlive: isRunning } }

/** Expects that a run tree holds each event of each run once and in order, with the `seq` that its writers printed. */
async function expectWhole(
  store: PostgresStore,
  rootRunId: string,
  writers: readonly Writer[],
): Promise<void> {
  const events = await store.events(rootRunId)
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
  const byRun = Map.groupBy(events, ({ runId }) => runId)
  for (const [runId, ofRun] of byRun) {
    expect(ofRun.map(numberOf)).toEqual(ofRun.map((_, index) => index + 1))
    // a step and its event are committed together
    expect((await store.steps(rootRunId, runId)).size).toBe(ofRun.length)
  }
  for (const { runId, seq, number } of writers.flatMap((writer) => writer.printed))
    expect(events[seq - 1]).toMatchObject({ runId, message: `${number}` })
}

function numberOf(event: RunEvent): number {
  return event.type === 'warning' ? Number(event.message) : Number.NaN
}

describe.skipIf(!HAS_POSTGRES)(`processes that share a PostgreSQL store${POSTGRES_NOTE}`, () => {
  const database = useDatabase()
  useWriters()

  it('processes that share a PostgreSQL store lose no delivered event when they are killed, and leave the run to the next one', async () => {
    const store = await openStore({ url: database.url, ...here })
    for (let round = 1; round <= KILLS; round += 1) {
      const rootRunId = `killed-${round}`
      const writer = startWriter(database.url, { rootRunId, runIds: [rootRunId] })
      await writer.hasPrinted(20 + Math.floor(Math.random() * 400))
      await expect(async () => store.open(rootRunId, 'next')).rejects.toMatchObject({ code: 'store_locked' })
      await writer.kill()
      await (await store.open(rootRunId, 'next')).close()
      await expectWhole(store, rootRunId, [writer])
    }
  })

  it('processes that write runs of one root run in parallel get a sequence without gaps, which followers receive in order', async () => {
    const store = await openStore({ url: database.url, ...here })
    await (await store.open('shared', 'parent')).close()
    const followed: RunEvent[] = []
    const errors: unknown[] = []
    store.follow(
      'shared',
      { after: 0 },
      (event) => followed.push(event),
      (thrown) => errors.push(thrown),
    )
    const writers = [
      startWriter(database.url, { rootRunId: 'shared', runIds: ['a', 'b', 'c'], count: 500 }),
      startWriter(database.url, { rootRunId: 'shared', runIds: ['d', 'e', 'f'], count: 500 }),
    ]
    const codes = await Promise.all(writers.map(({ process: child }) => once(child, 'close')))
    expect(codes.map(([code]) => code as number)).toEqual([0, 0])
    await expectWhole(store, 'shared', writers)
    await expect.poll(() => followed.length).toBe(3000)
    expect(followed).toEqual(await store.events('shared'))
    expect(errors).toEqual([])
  })

  it('processes that share a PostgreSQL store continue without loss or duplicates when the server is killed and started again', async () => {
    const cluster = await startPostgres()
    onTestFinished(() => cluster.stop())
    const { url } = await createDatabase(cluster.url)
    const store = await openStore({ url, ...here })
    await (await store.open('root', 'parent')).close()
    const followed: RunEvent[] = []
    store.follow(
      'root',
      { after: 0 },
      (event) => followed.push(event),
      (thrown) => expect.fail(String(thrown)),
    )
    const writers = ['a,b', 'c,d'].map((runIds) =>
      startWriter(url, { rootRunId: 'root', runIds: runIds.split(',') }),
    )
    for (let crash = 1; crash <= 3; crash += 1) {
      const before = writers.map((writer) => writer.printed.length)
      await Promise.all(writers.map((writer, index) => writer.hasPrinted((before[index] ?? 0) + 200)))
      await cluster.crash()
      await cluster.start()
    }
    const codes = await Promise.all(writers.map((writer) => writer.finish()))
    expect(codes).toEqual([0, 0])
    for (const writer of writers) {
      expect(writer.troubles.slice(0, 2)).toEqual(['store_unavailable', 'over'])
      expect(writer.troubles.at(-1)).toBe('over')
    }
    await expectWhole(store, 'root', writers)
    const events = await store.events('root')
    expect(writers.flatMap(({ printed }) => printed)).toHaveLength(events.length)
    await expect.poll(() => followed.length).toBe(events.length)
    expect(followed).toEqual(events)
  })
})
