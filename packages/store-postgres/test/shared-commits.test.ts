import type { LogEntry, RunTreeLog } from '@troupe/schema/ports'
import { sampleEvent } from '@troupe/testkit/internal'
import { HAS_POSTGRES, POSTGRES_NOTE } from '@troupe/testkit/postgres'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { PostgresStore } from '../src/index.ts'
import { newSchema, openStore, useDatabase } from './support/test-store.ts'

describe.skipIf(!HAS_POSTGRES)(`commits of runs of one root run${POSTGRES_NOTE}`, () => {
  const database = useDatabase()

  /** Opens a store with a root run and three runs below it. */
  async function openRuns() {
    const schema = newSchema()
    const store = await openStore({ url: database.url, schema })
    const root = await store.open('root', 'me')
    const logs = new Map<string, RunTreeLog>()
    for (const runId of ['a', 'b', 'c'])
      logs.set(runId, await store.openRun({ rootRunId: 'root', runId }, 'me'))
    const other = await openStore({ url: database.url, schema })
    return { store, root, logs, other }
  }

  it('batches that arrive during a commit share the next one, each at its own place in the sequence', async () => {
    const { store, root, logs, other } = await openRuns()
    const notified: string[] = []
    onTestFinished(
      await other.listen(`${store.schema.replaceAll('"', '')}_events`, (text) => notified.push(text)),
    )
    await whileRootIsLocked(other, async () => {
      root.append(entry('root'))
      await waitForLock(other)
      for (const [runId, log] of logs) {
        log.append(entry(runId))
        log.append(entry(runId))
      }
    })
    for (const log of [root, ...logs.values()]) await log.waitForCommit()
    await expect.poll(() => notified).toEqual(['1 root', '7 root'])
    const events = await store.events('root')
    expect(events.map(({ runId, seq }) => `${seq} ${runId}`)).toEqual([
      '1 root',
      '2 a',
      '3 a',
      '4 b',
      '5 b',
      '6 c',
      '7 c',
    ])
    for (const runId of logs.keys()) expect([...(await store.steps('root', runId))]).toEqual([['key', runId]])
  })

  it('a run whose lease is lost does not keep the others of a commit from being stored', async () => {
    const { store, root, logs, other } = await openRuns()
    await other.openRun({ rootRunId: 'root', runId: 'b' }, 'you', { takeOver: true })
    await whileRootIsLocked(other, async () => {
      root.append(entry('root'))
      await waitForLock(other)
      for (const [runId, log] of logs) log.append(entry(runId))
    })
    await expect(logs.get('b')?.waitForCommit()).rejects.toMatchObject({ code: 'store_lease_lost' })
    for (const log of [root, logs.get('a'), logs.get('c')]) await log?.waitForCommit()
    expect((await store.events('root')).map(({ runId }) => runId)).toEqual(['root', 'a', 'c'])
  })

  it('a run with a step that the database refuses does not keep the others from being stored', async () => {
    const { store, root, logs, other } = await openRuns()
    await whileRootIsLocked(other, async () => {
      root.append(entry('root'))
      await waitForLock(other)
      for (const [runId, log] of logs) log.append(entry(runId, runId === 'b' ? randomText(100_000) : 'key'))
    })
    await expect(logs.get('b')?.waitForCommit()).rejects.toMatchObject({ code: 'internal' })
    for (const log of [root, logs.get('a'), logs.get('c')]) await log?.waitForCommit()
    expect((await store.events('root')).map(({ runId }) => runId)).toEqual(['root', 'a', 'c'])
  })
})

function entry(runId: string, key = 'key'): LogEntry {
  return { runId, event: sampleEvent('turn-start', { runId }), step: { key, value: runId } }
}

/** Returns a text that cannot be compressed, so that it is too long for an index. */
function randomText(length: number): string {
  let state = 1
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return String.fromCodePoint(33 + ((state >>> 16) % 90))
  }).join('')
}

/** Does work while another transaction holds the row that each commit changes. */
async function whileRootIsLocked(other: PostgresStore, work: () => Promise<void>): Promise<void> {
  await other.transaction(async (client) => {
    await client.query(`SELECT 1 FROM ${other.schema}.roots FOR UPDATE`)
    await work()
  })
}

async function waitForLock(other: PostgresStore): Promise<void> {
  await expect
    .poll(async () =>
      other.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      ),
    )
    .toHaveLength(1)
}
