import { hostname } from 'node:os'
import { join } from 'node:path'
import { pid } from 'node:process'
import { setTimeout as wait } from 'node:timers/promises'
import { systemClock } from '@troupe/core'
import { defineAgent, defineTool } from '@troupe/schema'
import { openSqliteStore } from '@troupe/store'
import { leakCheck, scriptedModel, tempProject } from '@troupe/testkit'
import { expect, it, onTestFinished } from 'vitest'
import { createHost } from '../src/index.ts'

/** `MANY_RUNS=1000` runs so many at once. */
const RUNS = Number(process.env['MANY_RUNS'] ?? 50)
const TURN_MS = 50
const TURNS = 3
const MIB = 1024 * 1024
/** Of a process that does nothing else; the small sample shares its process with other tests. */
const MAX_RSS = process.env['MANY_RUNS'] === undefined ? Infinity : 700 * MIB

it(
  `${RUNS} runs at once in one process and on one store all complete, and no event of theirs is missing`,
  { timeout: 120_000 },
  async () => {
    const leaks = leakCheck()
    const project = await tempProject()
    onTestFinished(() => project.remove())
    const store = await openSqliteStore({
      path: join(project.path, 'runs.db'),
      clock: systemClock,
      random: Math.random,
      writer: { token: 'here', pid, host: hostname(), isAlive: () => true },
    })
    const look = defineTool({ name: 'look', description: 'Looks.', effect: 'read', execute: () => 'seen' })
    const model = scriptedModel(async (prompt) => {
      await wait(TURN_MS)
      const turn = prompt.filter(({ role }) => role === 'assistant').length + 1
      return turn < TURNS ? { calls: [{ tool: 'look' }] } : { text: 'Done.' }
    })
    const host = await createHost({
      cards: [defineAgent({ name: 'One', instruction: 'Work.', model: 'test/one', functionTools: [look] })],
      config: false,
      cwd: project.path,
      store,
      models: { 'test/one': model },
    })
    const begun = performance.now()
    const ids = Array.from({ length: RUNS }, (_, index) => `run_${index}`)
    const told = new Map<string, number>()
    const reports = await Promise.all(
      ids.map((runId) =>
        host.run('One', 'Go.', {
          runId,
          onEvent: ({ seq }) => {
            if (seq !== undefined) told.set(runId, (told.get(runId) ?? 0) + 1)
          },
        }),
      ),
    )
    const ms = performance.now() - begun
    const rss = process.memoryUsage.rss()
    expect(reports.filter(({ outcome }) => outcome !== 'completed')).toEqual([])
    let events = 0
    for (const runId of ids) {
      const kept = await store.events(runId)
      expect(kept.map(({ seq }) => seq)).toEqual(kept.map((_, index) => index + 1))
      expect(kept.length).toBe(told.get(runId))
      expect(kept.at(-1)).toMatchObject({ type: 'run-end', outcome: 'completed' })
      events += kept.length
    }
    process.stdout.write(
      `${RUNS} runs of ${TURNS} turns: ${events} events, ${Math.round(ms)} ms, RSS ${Math.round(rss / MIB)} MiB\n`,
    )
    expect(rss).toBeLessThan(MAX_RSS)
    await host.close()
    await leaks.assertClean()
  },
)
