import { failure, TroupeError } from '@troupe/schema'
import type { RunTreeLog, RunStore } from '@troupe/schema/ports'
import { scriptedModel } from '@troupe/testkit'
import { deferred, fakeClock, settle } from '@troupe/testkit/internal'
import { createValidator } from '@troupe/tools'
import { createDiscardingLog, openSession, type Session } from '@troupe/core'
import { describe, expect, it } from 'vitest'
import { tool } from './team.ts'

type Kept = () => Promise<void> | undefined

/** Returns a store whose commits the test controls. */
function storeThat(waitForCommit: Kept): RunStore {
  const open = (): RunTreeLog => ({
    ...createDiscardingLog(),
    isActive: true,
    isPersistent: true,
    waitForCommit,
  })
  return {
    open,
    roots: () => [],
    list: () => [],
    events: () => [],
    steps: () => new Map(),
    purge: () => 0,
    setLabel: () => false,
    sessions: { list: () => [], set: () => false },
    close: () => undefined,
  }
}

function session(store: RunStore, effect: 'read' | 'once', ran: string[]): Session {
  return openSession({
    agent: { name: 'A', instruction: 'x' },
    model: scriptedModel([{ calls: [{ tool: 'work' }] }, { text: 'done' }]),
    tools: [{ ...tool('work', () => void ran.push('work')), effect }],
    validate: createValidator(),
    store,
  })
}

describe('persistence before effects', () => {
  it('a tool that may run once starts after the answer that called it is persisted, a read-only one at once', async () => {
    for (const effect of ['once', 'read'] as const) {
      const ran: string[] = []
      const gate = deferred<undefined>()
      const running = session(
        storeThat(() => gate.promise),
        effect,
        ran,
      ).run('go')
      await settle(20)
      expect(ran).toEqual(effect === 'once' ? [] : ['work'])
      gate.resolve(undefined)
      expect(await running).toMatchObject({ outcome: 'completed', text: 'done' })
    }
  })

  it('the caller receives the end of a run after it is persisted', async () => {
    const gate = deferred<undefined>()
    let isOver = false
    const running = session(
      storeThat(() => gate.promise),
      'read',
      [],
    ).run('go')
    void running.then(() => (isOver = true))
    await settle(20)
    expect(isOver).toBe(false)
    gate.resolve(undefined)
    await running
  })

  it('a run whose lease is lost stops before its next effect and says why', async () => {
    const ran: string[] = []
    const lost = (): Promise<void> =>
      Promise.reject(new TroupeError(failure('store_lease_lost', 'Another process has the run.')))
    const result = await session(storeThat(lost), 'once', ran).run('go')
    expect(ran).toEqual([])
    expect(result).toMatchObject({ outcome: 'failed', failure: { code: 'store_lease_lost' } })
  })

  it('cancelling a run that waits for a full disk does not wait any longer', async () => {
    const clock = fakeClock()
    const stop = new AbortController()
    const never = new Promise<void>(() => undefined)
    const running = openSession({
      agent: { name: 'A', instruction: 'x' },
      model: scriptedModel([{ text: 'done' }]),
      store: storeThat(() => never),
      clock,
    }).run('go', { signal: stop.signal })
    await settle(20)
    stop.abort()
    await settle(5)
    await clock.advance(1000)
    expect(await running).toMatchObject({ outcome: 'completed' })
  })
})
