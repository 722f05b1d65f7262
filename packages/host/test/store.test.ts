import { systemClock } from '@troupe/core'
import { createMemoryStore } from '@troupe/store'
import { describe, expect, it } from 'vitest'
import { card, openTeam } from './support/open-team.ts'

const files = (store: string) => ({
  'a.md': card({ name: 'A', default: true, model: 'passthrough', agents: ['B'] }),
  'b.md': card({ name: 'B', model: 'passthrough', store }),
})
const kept = async (store: ReturnType<typeof createMemoryStore>) =>
  (await store.roots()).map((root) => root.rootRunId)

describe('the store of a host', () => {
  it('keeps the log of every root, by its run id', async () => {
    const store = createMemoryStore({ clock: systemClock })
    const host = await openTeam(files('full'), { store })
    await host.run('A', 'hi', { runId: 'one' })
    await host.run('B', 'hi', { runId: 'two' })
    expect(await kept(store)).toEqual(['one', 'two'])
    const log = await store.open('one', 'reader')
    expect((await log.steps('one')).has('end')).toBe(true)
    await log.close()
  })

  it.each(['none', 'metadata'])(
    'keeps nothing of a run that can reach an agent with store: %s',
    async (value) => {
      const store = createMemoryStore({ clock: systemClock })
      const host = await openTeam(files(value), { store })
      expect(await host.run('A', 'hi')).toMatchObject({ outcome: 'completed' })
      expect(await host.run('B', 'hi')).toMatchObject({ outcome: 'completed' })
      expect(await kept(store)).toEqual([])
      const told = host.plan().problems.map((problem) => problem.code)
      expect(told).toEqual(value === 'none' ? [] : ['key_without_effect'])
    },
  )
})
