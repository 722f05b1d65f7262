import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { pid } from 'node:process'
import { setTimeout as wait } from 'node:timers/promises'
import { createHost } from '@troupe/host'
import type { Clock, RunReport } from '@troupe/schema'
import { openSqliteStore, type SqliteStore } from '@troupe/store'
import { leakCheck } from '@troupe/testkit/internal'
import { expect, it } from 'vitest'
import { isAlive } from './is-alive.ts'
import { startProgram } from './start-program.ts'
import { oneAgent, project } from './team.ts'

/** The duration: `SHARED_STORE_MS=60000` runs for a minute. */
const LASTS_MS = Number(process.env['SHARED_STORE_MS'] ?? 3000)
const PROGRAMS = 4
const STORE = 'here.db'

const CLOCK: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, fn) {
    const timer = setTimeout(fn, ms)
    return () => clearTimeout(timer)
  },
}

const TEAM = {
  ...oneAgent('- {call: [{tool: look}], delay: 20}\n- say: Done.', {
    fields: 'functionTools: [tools.mjs:look]',
    files: { 'tools.mjs': 'export const look = () => "seen"\n' },
  }),
  'long.md': '---\nname: Long\ndescription: Takes its time.\nmodel: script/long.yaml\n---\nWait.\n',
  'long.yaml': 'agents:\n  Long:\n    - {say: Done., delay: 600000}\n',
}

it(
  'four programs and a library share one store without errors and lost events, and each run has one owner',
  { timeout: LASTS_MS + 120_000 },
  async () => {
    const leaks = leakCheck()
    const { path } = await project(TEAM)
    const store = await openSqliteStore({
      path: join(path, STORE),
      clock: CLOCK,
      random: Math.random,
      writer: { token: randomUUID(), pid, host: hostname(), isAlive },
    })
    const host = await createHost({ cards: ['one.md', 'long.md'], cwd: path, home: path, store })
    const long = startProgram(['run', 'long.md', 'Go.', '--store', STORE, '--quiet'], path)
    const longId = await rootOf(store, 'Long')

    const until = performance.now() + LASTS_MS
    const ids: string[] = []
    const byProgram = async (): Promise<void> => {
      while (performance.now() < until) {
        const program = startProgram(['run', 'one.md', 'Go.', '--store', STORE, '--json'], path)
        expect(await program.ends()).toEqual([0, null])
        expect(program.err()).toBe('')
        ids.push((JSON.parse(program.out()) as RunReport).runId)
      }
    }
    const byLibrary = async (): Promise<void> => {
      while (performance.now() < until) {
        const report = await host.run(undefined, 'Go.')
        expect(report.outcome).toBe('completed')
        ids.push(report.runId)
      }
    }
    await Promise.all([byLibrary(), ...Array.from({ length: PROGRAMS }, byProgram)])

    const second = startProgram(['run', '--resume', longId, '--store', STORE], path)
    expect((await second.ends())[0]).toBe(1)
    expect(second.err()).toContain(`is in use by process ${long.process.pid} on ${hostname()}`)
    await expect(host.resume(longId)).rejects.toMatchObject({ code: 'store_locked' })
    long.process.kill('SIGKILL')
    await long.ends()

    for (const id of ids) {
      const events = await store.events(id)
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
      expect(events.at(-1)).toMatchObject({ type: 'run-end', outcome: 'completed' })
    }
    expect(new Set(ids).size).toBe(ids.length)
    expect((await store.roots()).filter(({ open }) => open)).toEqual([])
    process.stdout.write(`${ids.length} runs of ${PROGRAMS} programs and a library on one store\n`)
    await host.close()
    await leaks.assertClean()
  },
)

/** Returns the root run of an agent once it has started. */
async function rootOf(store: SqliteStore, agent: string): Promise<string> {
  for (;;) {
    for (const { rootRunId } of await store.roots()) {
      const [first] = await store.events(rootRunId, { limit: 1 })
      if (first?.agent === agent) return rootRunId
    }
    await wait(20)
  }
}
