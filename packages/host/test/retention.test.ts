import { systemClock } from '@troupe/core'
import { defineAgent } from '@troupe/schema'
import type { RootRunRecord } from '@troupe/schema/ports'
import { createMemoryStore } from '@troupe/store'
import { scriptedModel } from '@troupe/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createHost, expiredRuns, type Host } from '../src/index.ts'

const DAY = 24 * 60 * 60_000

function root(rootRunId: string, day: number, fields: Partial<RootRunRecord> = {}): RootRunRecord {
  return { rootRunId, open: false, changedAt: day * DAY, lastSeq: 1, detail: 'full', ...fields }
}

describe('retention', () => {
  const roots = [root('a', 1), root('b', 2), root('c', 3), root('d', 4)]
  const now = 5 * DAY

  it.each([
    [{}, []],
    [{ days: 2.5 }, ['b', 'a']],
    [{ runs: 1 }, ['c', 'b', 'a']],
    [{ runs: 0 }, ['d', 'c', 'b', 'a']],
    [{ bytes: 250 }, ['b', 'a']],
    [{ days: 3.5, runs: 3, bytes: 1000 }, ['a']],
  ])('retention of %j purges %j', (retention, expected) => {
    const sizes = new Map(roots.map(({ rootRunId }) => [rootRunId, 100]))
    expect(expiredRuns(roots, retention, { now, sizes })).toEqual(expected)
  })

  it('retention does not purge runs that are in progress', () => {
    expect(expiredRuns([root('a', 1, { open: true }), ...roots], { runs: 0 }, { now })).toHaveLength(4)
  })

  it('retention purges a conversation as a whole, by the age of its last turn', () => {
    const session = { sessionId: 'talk', principal: 'local' }
    const talk = [root('one', 1, { session }), root('two', 4, { session })]
    expect(expiredRuns([...talk, ...roots], { days: 2.5 }, { now })).toEqual(['b', 'a'])
  })
})

it('a host purges expired runs at its start, as configured', async () => {
  const store = createMemoryStore({ clock: systemClock })
  const open = async (config?: {
    readonly store: { readonly retention: { readonly runs: number } }
  }): Promise<Host> => {
    const host = await createHost({
      cards: [defineAgent({ name: 'A', instruction: 'x', model: 'test/a' })],
      config: config ?? false,
      cwd: import.meta.dirname,
      store,
      models: { 'test/a': scriptedModel(() => ({ text: 'done' })) },
    })
    onTestFinished(() => host.close())
    return host
  }
  const first = await open()
  for (const runId of ['one', 'two', 'three']) await first.run('A', 'go', { runId })
  await open({ store: { retention: { runs: 2 } } })
  expect((await store.roots()).map(({ rootRunId }) => rootRunId)).toEqual(['two', 'three'])
})
