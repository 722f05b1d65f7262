import { runStoreContract, scheduleContract } from '@troupe/testkit/contracts'
import { fakeClock, sampleEvent, recordEvents } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../src/index.ts'

runStoreContract(() => createMemoryStore({ clock: fakeClock() }))
scheduleContract(() => createMemoryStore({ clock: fakeClock() }))

describe('createMemoryStore', () => {
  it('the memory store returns the log that an owner has open', async () => {
    const store = createMemoryStore({ clock: fakeClock() })
    expect(await store.open('root', 'me')).toBe(await store.open('root', 'me'))
  })

  it('the memory store drops the root runs closed longest ago, and no open one', async () => {
    const clock = fakeClock()
    const store = createMemoryStore({ clock, maxRoots: 2 })
    const first = await store.open('first', 'me')
    const second = await store.open('second', 'me')
    await second.close()
    await clock.advance(5)
    await first.close()
    await store.open('third', 'me')
    await store.open('fourth', 'me')
    await store.open('fifth', 'me')
    expect(await store.roots()).toEqual([
      { rootRunId: 'third', open: true, changedAt: 5, lastSeq: 0, detail: 'full' },
      { rootRunId: 'fourth', open: true, changedAt: 5, lastSeq: 0, detail: 'full' },
      { rootRunId: 'fifth', open: true, changedAt: 5, lastSeq: 0, detail: 'full' },
    ])
  })

  it('the memory store drops root runs in the order of closing, also after one was reopened', async () => {
    const store = createMemoryStore({ clock: fakeClock(), maxRoots: 2 })
    const ids = async (): Promise<readonly string[]> =>
      (await store.roots()).map(({ rootRunId }) => rootRunId)
    for (const id of ['first', 'second', 'first']) await (await store.open(id, 'me')).close()
    expect(await ids()).toEqual(['second', 'first'])
    const third = await store.open('third', 'me')
    expect(await ids()).toEqual(['first', 'third'])
    expect(await store.purge(['first', 'third', 'nowhere'])).toBe(1)
    expect(await ids()).toEqual(['third'])
    await third.close()
  })

  it('the memory store keeps the entries of root runs apart', async () => {
    const store = createMemoryStore({ clock: fakeClock() })
    const [one, two] = [await store.open('one', 'me'), await store.open('two', 'me')]
    const heard = recordEvents()
    two.subscribe(heard.listener, { after: 0 })
    one.append({ runId: 'run', event: sampleEvent('turn-start') })
    await one.waitForCommit()
    expect(heard.events).toEqual([])
  })

  it('the memory store commits pending entries when it closes, and opens nothing afterwards', async () => {
    const store = createMemoryStore({ clock: fakeClock() })
    const log = await store.open('root', 'me')
    const heard = recordEvents()
    log.subscribe(heard.listener)
    log.append({ runId: 'run', event: sampleEvent('run-end') })
    await store.close()
    expect(heard.types()).toEqual(['run-end'])
    await expect(async () => store.open('root', 'me')).rejects.toMatchObject({ code: 'usage_invalid' })
  })
})
