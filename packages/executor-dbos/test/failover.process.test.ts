import type { RunEvent } from '@troupe/schema'
import { recordFigures, verifies } from '@troupe/testkit/internal'
import { createDatabase, HAS_POSTGRES, POSTGRES_NOTE, startPostgres } from '@troupe/testkit/postgres'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openServer } from './support/cluster.ts'
import { fanOutTeam } from './support/fan-out.ts'
import { startFleet } from './support/worker-fleet.ts'

const CHILDREN = Number(process.env['WORKER_CHILDREN'] ?? 40)
const WORKERS = Number(process.env['WORKERS'] ?? 2)
const KILLS = Number(process.env['WORKER_KILLS'] ?? 2)
const KILL_MS = Number(process.env['WORKER_KILL_MS'] ?? 1000)
/** Seed of the choice of the workers that are killed. */
const SEED = Number(process.env['WORKER_SEED'] ?? 1)
const MODES = [
  'PostgreSQL crashes once',
  ...(process.env['WORKERS'] === undefined ? [] : ['PostgreSQL stays up']),
]

describe.skipIf(!HAS_POSTGRES)(`workers that are killed${POSTGRES_NOTE}`, { timeout: 900_000 }, () => {
  it.for(MODES)(
    `every child of a fan-out ends exactly once while workers are killed and %s, and no tool that may run once runs twice ${verifies('C12')}`,
    async (mode, { task }) => {
      // not that of the other tests: this one may crash, so that it flushes what it commits
      const cluster = await startPostgres()
      onTestFinished(() => cluster.stop())
      const { url } = await createDatabase(cluster.url)
      const team = await fanOutTeam(CHILDREN, { waitMs: 100 })
      const fleet = await startFleet(url, { folder: team.folder, count: WORKERS })
      const server = await openServer(url, { cards: ['.'], cwd: team.folder })
      const events: RunEvent[] = []
      const random = createRandom(SEED)
      let kills = 0
      let lastKill = performance.now()
      /** The longest time in ms without the end of a run, after the last kill. */
      let longestWait = 0
      let lastEnd = performance.now()
      const onEvent = (event: RunEvent): void => {
        if (event.seq !== undefined) events.push(event)
        if (event.type !== 'run-end') return
        longestWait = Math.max(longestWait, performance.now() - Math.max(lastEnd, lastKill))
        lastEnd = performance.now()
      }
      const killing = setInterval(() => {
        if (kills >= KILLS || !fleet.killOne(random)) return
        kills += 1
        lastKill = performance.now()
        longestWait = 0
        if (mode === 'PostgreSQL crashes once' && kills === 1)
          void cluster.crash().then(async () => cluster.start())
      }, KILL_MS)
      const startedAt = performance.now()
      const report = await server.run('Lead', 'Go.', { onEvent })
      clearInterval(killing)
      const seconds = (ms: number): string => (ms / 1000).toFixed(1)
      console.log(
        `${mode}, seed ${SEED}: ${CHILDREN} children on ${WORKERS} workers, ${kills} kills, ${fleet.starts()} starts, ${seconds(performance.now() - startedAt)} s, ${seconds(performance.now() - lastKill)} s after the last kill, ${seconds(longestWait)} s at most without the end of a run`,
      )
      expect(report).toMatchObject({ outcome: 'completed', output: { text: 'All done.' } })
      const stamps = await team.stamps()
      expect(new Set(stamps).size).toBe(stamps.length)
      const ofType = (type: RunEvent['type']): readonly RunEvent[] =>
        events.filter((event) => event.type === type)
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
      for (const type of ['run-start', 'run-end'] as const)
        expect(new Set(ofType(type).map(({ runId }) => runId)).size).toBe(CHILDREN + 1)
      expect(ofType('run-end')).toHaveLength(CHILDREN + 1)
      const results = ofType('tool-result').filter(({ runId }) => runId === report.runId)
      expect(new Set(results.map(({ callId }) => callId)).size).toBe(CHILDREN)
      expect(results).toHaveLength(CHILDREN)
      recordFigures(task, { [`workers killed during a fan-out, while ${mode}`]: kills })
    },
  )
})

/** Returns a linear congruential generator of numbers from 0 to less than 1. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
