import { hostname } from 'node:os'
import { fakeClock, recordEvents, sampleEvent } from '@troupe/testkit'
import { describe, expect, it } from 'vitest'
import { openStore, openStoreFile } from './support/store-file.ts'

const entry = { runId: 'run', event: sampleEvent('turn-start') }
const process = (pid: number, alive = true) => ({
  writer: { token: `process ${pid}`, pid, host: hostname(), isAlive: () => alive },
})

describe('the lease of a root run', () => {
  it('the lease of a root run keeps a second process out and names its owner', async () => {
    const { store, path } = await openStoreFile(process(11))
    const other = await openStore(path, process(12))
    await store.open('root', 'me')
    await expect(async () => other.open('root', 'me')).rejects.toMatchObject({
      code: 'store_locked',
      message: `The run root is in use by process 11 on ${hostname()}.`,
    })
    expect(await other.roots()).toMatchObject([{ open: true, owner: { pid: 11, host: hostname() } }])
  })

  it('the lease of a root run is given to one of two simultaneous requests', async () => {
    const { path } = await openStoreFile()
    const stores = await Promise.all([1, 2, 3, 4].map((pid) => openStore(path, process(pid))))
    const asked = await Promise.allSettled(stores.map(async (store) => store.open('root', 'me')))
    expect(asked.filter((each) => each.status === 'fulfilled')).toHaveLength(1)
  })

  it('the lease of a root run holds its session until it is released or its process exits', async () => {
    const session = { sessionId: 'talk', principal: 'ann' }
    const { store, path } = await openStoreFile(process(11))
    const log = await store.open('first', 'me', { session })
    const other = await openStore(path, process(12))
    await expect(async () => other.open('second', 'me', { session })).rejects.toMatchObject({
      code: 'session_busy',
      message: 'The run first of this session has not ended.',
    })
    expect(await other.roots()).toMatchObject([{ rootRunId: 'first' }])
    const witness = await openStore(path, process(13, false))
    await (await witness.open('third', 'me', { session })).close()
    await log.close()
    expect(await other.open('second', 'me', { session })).toBeDefined()
  })

  it('the lease of an exited process is free immediately', async () => {
    const { store, path } = await openStoreFile(process(11))
    await store.open('root', 'me')
    const other = await openStore(path, process(12, false))
    expect(await other.roots()).toMatchObject([{ open: false }])
    expect(await other.open('root', 'me')).toBeDefined()
  })

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
