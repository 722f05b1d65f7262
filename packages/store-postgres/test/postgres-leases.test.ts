import { heldClock, recordEvents, sampleEvent } from '@troupe/testkit/internal'
import { HAS_POSTGRES, POSTGRES_NOTE } from '@troupe/testkit/postgres'
import { LEASE_MS } from '@troupe/schema/ports'
import { describe, expect, it } from 'vitest'
import type { PostgresStore } from '../src/index.ts'
import { newSchema, openStore, useDatabase } from './support/test-store.ts'

const entry = (runId = 'root') => ({
  runId,
  event: sampleEvent('turn-start', { runId }),
  step: { key: 'llm:1', value: runId },
})

/** Makes all leases of a store expire. */
async function expire(store: PostgresStore): Promise<void> {
  await store.query(`UPDATE ${store.schema}.leases SET lease_until = now() - interval '1 ms'`)
}

describe.skipIf(!HAS_POSTGRES)(`a lease in PostgreSQL${POSTGRES_NOTE}`, () => {
  const database = useDatabase()
  const openTwo = async (
    options: Parameters<typeof openStore>[0] = database,
  ): Promise<readonly [PostgresStore, PostgresStore]> => {
    const schema = newSchema()
    return [
      await openStore({ ...options, url: database.url, schema }),
      await openStore({ url: database.url, schema }),
    ]
  }

  it('a lease is taken over on request, and the former owner writes nothing more', async () => {
    const [store, other] = await openTwo()
    const late = await store.open('root', 'me')
    late.append(entry())
    await late.waitForCommit()
    const log = await other.open('root', 'me', { takeOver: true })
    late.append(entry())
    await expect(late.waitForCommit()).rejects.toMatchObject({ code: 'store_lease_lost' })
    expect(Object.fromEntries(await log.steps('root'))).toEqual({ 'llm:1': 'root' })
    log.append(entry())
    await log.waitForCommit()
    await late.close()
    expect(await store.events('root')).toHaveLength(2)
    expect(await store.roots()).toMatchObject([{ open: true }])
  })

  it('a lease is taken over within a process, too', async () => {
    const [store] = await openTwo()
    const late = await store.open('root', 'me')
    await expect(store.open('root', 'you')).rejects.toMatchObject({ code: 'store_locked' })
    const log = await store.open('root', 'you', { takeOver: true })
    expect(await store.open('root', 'you')).toBe(log)
    late.append(entry())
    await expect(late.waitForCommit()).rejects.toMatchObject({ code: 'store_lease_lost' })
    await late.close()
    log.append(entry())
    await log.waitForCommit()
    expect(await store.roots()).toMatchObject([{ open: true, lastSeq: 1 }])
  })

  it('a lease that is taken over while a commit waits lets the commit write nothing', async () => {
    const [store, other] = await openTwo()
    const late = await store.open('root', 'me')
    let isLost: Promise<void> | undefined
    await other.transaction(async (client) => {
      // what a process does that takes the lease, with the transaction still open
      await client.query(`UPDATE ${other.schema}.leases SET fence = fence + 1, token = 'other'`)
      late.append(entry())
      isLost = late.waitForCommit()
      isLost?.catch(() => undefined)
      await expect
        .poll(async () => {
          const waiting = await store.query(
            `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
          )
          return waiting.length
        })
        .toBe(1)
    })
    await expect(isLost).rejects.toMatchObject({ code: 'store_lease_lost' })
    expect(await store.events('root')).toEqual([])
  })

  it('a lease expires by the clock of the database, whatever the clock of the process says', async () => {
    const held = heldClock(LEASE_MS / 6)
    const sleeping = { ...held.clock, now: () => 0 }
    const [store, other] = await openTwo({ url: database.url, clock: sleeping })
    await store.open('root', 'me')
    await expect(other.open('root', 'me')).rejects.toMatchObject({ code: 'store_locked' })
    await expire(store)
    expect(await other.roots()).toMatchObject([{ open: false }])
    await other.open('root', 'me')
    await expect(store.open('root', 'you', { takeOver: false })).rejects.toMatchObject({
      code: 'store_locked',
    })
  })

  it('a lease of an ended process on another host is free only when it expires', async () => {
    const schema = newSchema()
    const open = (host: string) =>
      openStore({
        url: database.url,
        schema,
        writer: { token: host, pid: 1, host, isAlive: () => false },
      })
    const [store, other] = [await open('here'), await open('there')]
    await store.open('root', 'me')
    await expect(other.open('root', 'me')).rejects.toMatchObject({
      message: 'The run root is in use by process 1 on here.',
    })
    await expire(store)
    expect(await other.open('root', 'me')).toBeDefined()
  })

  it('all leases of a process are renewed together', async () => {
    const held = heldClock(LEASE_MS / 6)
    const [store, other] = await openTwo({ url: database.url, clock: held.clock })
    await store.open('first', 'me')
    await store.open('second', 'me')
    await store.openRun({ rootRunId: 'first', runId: 'child' }, 'me')
    await expire(store)
    held.expire()
    await expect.poll(async () => (await other.roots()).map(({ open }) => open)).toEqual([true, true])
    await expect(other.openRun({ rootRunId: 'first', runId: 'child' }, 'me')).rejects.toMatchObject({
      code: 'store_locked',
    })
  })

  it('a lease that could not be released is available to its own process', async () => {
    const [store] = await openTwo()
    await (await store.open('root', 'me')).close()
    await store.query(
      `UPDATE ${store.schema}.leases SET token = 'store', owner = 'me', pid = 1, host = 'here', lease_until = now() + interval '1 day'`,
    )
    await expect(store.open('root', 'me')).rejects.toMatchObject({ code: 'store_locked' })
    const same = await openStore({
      url: database.url,
      schema: store.schema.replaceAll('"', ''),
      writer: { token: 'store', pid: 1, host: 'here', isAlive: () => true },
    })
    expect(await same.open('root', 'me')).toBeDefined()
  })

  it('steps of runs and keys with spaces are kept apart', async () => {
    const [store] = await openTwo()
    const log = await store.open('root', 'me')
    for (const [runId, key] of [
      ['a', 'b c'],
      ['a b', 'c'],
    ] as const)
      log.append({ runId, step: { key, value: runId } })
    await log.waitForCommit()
    expect([...(await store.steps('root', 'a'))]).toEqual([['b c', 'a']])
    expect([...(await store.steps('root', 'a b'))]).toEqual([['c', 'a b']])
  })

  it('a log knows the last event before its run was first opened, in every later lease', async () => {
    const [store, other] = await openTwo()
    const root = await store.open('root', 'me')
    root.append(entry('root'))
    await root.waitForCommit()
    const child = await store.openRun({ rootRunId: 'root', runId: 'a' }, 'me')
    expect([child.isFirst, child.firstAfter]).toEqual([true, 1])
    child.append(entry('a'))
    await child.waitForCommit()
    const taken = await other.openRun({ rootRunId: 'root', runId: 'a' }, 'me', { takeOver: true })
    expect([taken.isFirst, taken.firstAfter]).toEqual([false, 1])
    taken.append(entry('a'))
    await taken.close()
    expect((await store.events('root', { after: taken.firstAfter })).map(({ runId }) => runId)).toEqual([
      'a',
      'a',
    ])
  })

  it('a lease of a child run is independent of the root run and of its siblings', async () => {
    const [store, other] = await openTwo()
    await expect(store.openRun({ rootRunId: 'root', runId: 'a' }, 'me')).rejects.toMatchObject({
      code: 'run_unknown',
    })
    const root = await store.open('root', 'me', { detail: 'metadata' })
    const child = await other.openRun({ rootRunId: 'root', runId: 'a' }, 'me')
    const sibling = await store.openRun({ rootRunId: 'root', runId: 'b' }, 'me')
    await expect(store.openRun({ rootRunId: 'root', runId: 'a' }, 'you')).rejects.toMatchObject({
      code: 'store_locked',
    })
    expect(child.isPersistent).toBe(false)
    const heard = recordEvents()
    child.subscribe(heard.listener)
    for (const log of [root, child, sibling, child]) {
      log.append(entry(log === child ? 'a' : 'root'))
      await log.waitForCommit()
    }
    expect(heard.events.map(({ seq }) => seq)).toEqual([2, 4])
    await root.close()
    expect(await other.roots()).toMatchObject([{ open: false, lastSeq: 4 }])
    expect(await store.purge(['root'])).toBe(0)
    await child.close()
    await sibling.close()
    expect(await store.purge(['root'])).toBe(1)
    for (const table of ['roots', 'events', 'steps', 'leases', 'purged'])
      expect(await store.query(`SELECT * FROM ${store.schema}.${table}`)).toEqual([])
  })
})
