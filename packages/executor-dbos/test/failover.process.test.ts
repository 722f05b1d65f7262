import { type RunEvent } from '@troupe/schema'
import { HAS_POSTGRES, POSTGRES_NOTE } from '@troupe/testkit/postgres'
import { expect, it } from 'vitest'
import { newDatabase, openServer } from './support/cluster.ts'
import { fanOutTeam } from './support/fan-out.ts'
import { startFleet } from './support/worker-fleet.ts'

const CHILDREN = Number(process.env['CHILDREN'] ?? 60)
const KILLS = Number(process.env['KILLS'] ?? 3)
const KILL_MS = Number(process.env['KILL_MS'] ?? 1500)

it.skipIf(!HAS_POSTGRES)(
  `every child of a fan-out ends exactly once while workers are killed, and no tool that may run once runs twice${POSTGRES_NOTE}`,
  async () => {
    const url = await newDatabase()
    const team = await fanOutTeam(CHILDREN, { waitMs: 100 })
    const fleet = await startFleet(url, { folder: team.folder, count: 2 })
    const server = await openServer(url, { cards: ['.'], cwd: team.folder })
    const events: RunEvent[] = []
    let kills = 0
    const killing = setInterval(() => {
      if (kills < KILLS && fleet.killOne()) kills += 1
    }, KILL_MS)
    const startedAt = performance.now()
    const report = await server.run('Lead', 'Go.', { onEvent: (event) => events.push(event) })
    clearInterval(killing)
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    console.log(`${CHILDREN} children, ${kills} kills, ${fleet.starts()} starts, ${seconds} s`)
    expect(fleet.printed()).toBe('')
    expect(report).toMatchObject({ outcome: 'completed', output: { text: 'All done.' } })
    const stamps = await team.stamps()
    expect(new Set(stamps).size).toBe(stamps.length)
    const ofType = (type: RunEvent['type']) => events.filter((event) => event.type === type)
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    for (const type of ['run-start', 'run-end'] as const)
      expect(new Set(ofType(type).map(({ runId }) => runId)).size).toBe(ofType(type).length)
    expect(ofType('run-end')).toHaveLength(CHILDREN + 1)
    const results = events.filter((event) => event.type === 'tool-result' && event.runId === report.runId)
    expect(results).toHaveLength(CHILDREN)
  },
  600_000,
)
