import { join } from 'node:path'
import { systemClock } from '@troupe/core'
import { createMemoryStore, openSqliteStore, type SqliteStore } from '@troupe/store'
import { settle, tempProject } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { card, openTeam } from './support/open-team.ts'

const files = (store: string) => ({
  'a.md': card({ name: 'A', default: true, model: 'passthrough', agents: ['B'] }),
  'b.md': card({ name: 'B', model: 'passthrough', store }),
})
const kept = async (store: ReturnType<typeof createMemoryStore>) =>
  (await store.roots()).map((root) => root.rootRunId)

describe('the store of a host', () => {
  it('the store contains the log of every root run, by its run id', async () => {
    const store = createMemoryStore({ clock: systemClock })
    const host = await openTeam(files('full'), { store })
    await host.run('A', 'hi', { runId: 'one' })
    await host.run('B', 'hi', { runId: 'two' })
    expect(await kept(store)).toEqual(['one', 'two'])
    const log = await store.open('one', 'reader')
    expect((await log.steps('one')).has('end')).toBe(true)
    await log.close()
  })

  it('the store contains nothing of a run that can reach an agent with store: none', async () => {
    const store = createMemoryStore({ clock: systemClock })
    const host = await openTeam(files('none'), { store })
    expect(await host.run('A', 'hi')).toMatchObject({ outcome: 'completed' })
    expect(await host.run('B', 'hi')).toMatchObject({ outcome: 'completed' })
    expect(await kept(store)).toEqual([])
    expect(host.plan().problems).toEqual([])
  })

  it('the store contains no text of a run that can reach an agent with store: metadata', async () => {
    const store = createMemoryStore({ clock: systemClock })
    const host = await openTeam(files('metadata'), { store })
    for (const agent of ['A', 'B']) {
      const report = await host.run(agent, 'PRIVATE', { runId: agent })
      expect(report.output.text).toContain('PRIVATE')
      const events = await store.events(agent)
      expect(events.at(-1)).toMatchObject({ type: 'run-end', outcome: 'completed' })
      expect(JSON.stringify(events)).not.toContain('PRIVATE')
      expect((await store.steps(agent, agent)).size).toBe(0)
    }
    expect(host.plan().problems).toEqual([])
  })
})

describe('a run whose store has no space', () => {
  it('a run whose store has no space waits and completes once there is space again', async () => {
    const project = await tempProject()
    onTestFinished(() => project.remove())
    const open = (token: string, maxBytes?: number): Promise<SqliteStore> =>
      openSqliteStore({
        path: join(project.path, 'runs.db'),
        clock: systemClock,
        random: Math.random,
        writer: { token, pid: 1, host: 'here', isAlive: () => true },
        ...(maxBytes === undefined ? {} : { maxBytes }),
      })
    const store = await open('small', 600_000)
    const host = await openTeam(files('full'), { store })
    // a passthrough model: the text stands in the request, the answer and the end
    const text = (length: number): string => 'abcdefgh'.repeat(length / 8)
    await host.run('B', text(400_000), { runId: 'old' })
    const running = host.run('B', `new ${text(400_000)}`, { runId: 'new' })
    while (store.trouble() === undefined) await settle()
    expect(store.trouble()).toMatchObject({ code: 'store_full' })
    // what was kept before can be read meanwhile
    expect((await store.events('old')).at(-1)).toMatchObject({ type: 'run-end' })
    const other = await open('other')
    await other.purge(['old'])
    await other.close()
    expect(await running).toMatchObject({ outcome: 'completed' })
    const kept = await store.events('new')
    expect(kept.map(({ seq }) => seq)).toEqual(kept.map((_, index) => index + 1))
    expect(kept.at(-1)).toMatchObject({ type: 'run-end', outcome: 'completed' })
  })
})
