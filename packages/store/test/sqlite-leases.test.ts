import { hostname } from 'node:os'
import { fakeClock, recordEvents, sampleEvent } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { openStore, openStoreFile } from './support/store-file.ts'

const entry = { runId: 'run', event: sampleEvent('turn-start') }
const process = (pid: number, alive = true) => ({
  writer: { token: `process ${pid}`, pid, host: hostname(), isAlive: () => alive },
})

describe('the lease of a root run', () => {
  it('the lease of a root run expires without heartbeats, and its former owner writes nothing more', async () => {
    const sleeping = { ...fakeClock(), now: () => 0 }
    const { store, path } = await openStoreFile({ ...process(11), clock: sleeping })
    const late = await store.open('root', 'me')
    const other = await openStore(path, { ...process(12), clock: { ...fakeClock(), now: () => 31_000 } })
    const log = await other.open('root', 'me')
    const heard = recordEvents()
    late.subscribe(heard.listener)
    late.append(entry)
    await expect(late.waitForCommit()).rejects.toMatchObject({ code: 'store_lease_lost' })
    await expect(late.waitForCommit()).rejects.toMatchObject({ code: 'store_lease_lost' })
    expect(heard.events).toEqual([])
    log.append(entry)
    await log.waitForCommit()
    expect(await store.events('root')).toHaveLength(1)
  })

  it('the lease of a root run is kept by heartbeats, however long the run takes', async () => {
    const clock = fakeClock()
    const { store, path } = await openStoreFile({ ...process(11), clock })
    const log = await store.open('root', 'me')
    await clock.advance(120_000)
    const other = await openStore(path, { ...process(12), clock })
    await expect(async () => other.open('root', 'me')).rejects.toMatchObject({ code: 'store_locked' })
    await log.close()
    expect(clock.pending()).toBe(0)
    expect(await other.open('root', 'me')).toBeDefined()
  })

  it('a lost lease does not prevent writes to other root runs of the store', async () => {
    const { store, path } = await openStoreFile({ ...process(11), clock: { ...fakeClock(), now: () => 0 } })
    const lost = await store.open('lost', 'me')
    const kept = await store.open('kept', 'me')
    const other = await openStore(path, { ...process(12), clock: { ...fakeClock(), now: () => 31_000 } })
    await other.open('lost', 'me')
    lost.append(entry)
    kept.append(entry)
    await expect(lost.waitForCommit()).rejects.toMatchObject({ code: 'store_lease_lost' })
    await kept.waitForCommit()
    expect(await store.events('kept')).toHaveLength(1)
    expect(await store.events('lost')).toHaveLength(0)
  })
})
