import { expect, it } from 'vitest'
import { leakCheck } from '@troupe/testkit/internal'
import { openManyRuns, TURN_MS, TURNS } from './support/many-runs.ts'

/** `MANY_RUNS=1000` runs so many at once, and holds what was measured against the goals: a small sample shares its process with other tests. */
const RUNS = Number(process.env['MANY_RUNS'] ?? 50)
const IS_SOAK = process.env['MANY_RUNS'] !== undefined
const MIB = 1024 * 1024
const MAX_RSS = IS_SOAK ? 700 * MIB : Infinity
/** Runs whose turns are timed: as many as a busy process has. */
const TIMED_RUNS = Math.min(RUNS, 200)
const MAX_ADDED_MS = IS_SOAK ? 25 : Infinity

it(
  `${RUNS} concurrent runs in one process and one store all complete, and none of their events is missing`,
  { timeout: 120_000 },
  async () => {
    const leaks = leakCheck()
    const many = await openManyRuns()
    const begun = performance.now()
    const { ids, told } = await many.runAll(RUNS)
    const ms = Math.round(performance.now() - begun)
    const rss = process.memoryUsage.rss()
    let events = 0
    for (const runId of ids) {
      const kept = await many.store.events(runId)
      expect(kept.map(({ seq }) => seq)).toEqual(kept.map((_, index) => index + 1))
      expect(kept.length).toBe(told.get(runId))
      expect(kept.at(-1)).toMatchObject({ type: 'run-end', outcome: 'completed' })
      events += kept.length
    }
    process.stdout.write(
      `${RUNS} runs of ${TURNS} turns: ${events} events, ${ms} ms, RSS ${Math.round(rss / MIB)} MiB\n`,
    )
    expect(rss).toBeLessThan(MAX_RSS)
    await many.close()
    await leaks.assertClean()
  },
)

it(
  `a turn of one of ${TIMED_RUNS} concurrent runs takes hardly longer than its model`,
  { timeout: 120_000 },
  async () => {
    const many = await openManyRuns()
    // first with code that is not compiled yet
    await many.runAll(TIMED_RUNS)
    const { added } = await many.runAll(TIMED_RUNS, { spreadMs: TURN_MS })
    const together = await many.runAll(TIMED_RUNS)
    expect(added).toHaveLength(TIMED_RUNS * TURNS)
    process.stdout.write(
      `${TIMED_RUNS} runs of ${TURNS} turns of ${TURN_MS} ms: added to a turn ${figures(added)}; all turns at the same moment: ${figures(together.added)}\n`,
    )
    expect(percentile(added, 0.99)).toBeLessThan(MAX_ADDED_MS)
    await many.close()
  },
)

function figures(times: readonly number[]): string {
  return `p50 ${percentile(times, 0.5).toFixed(1)} ms, p99 ${percentile(times, 0.99).toFixed(1)} ms`
}

function percentile(times: readonly number[], part: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * part)] ?? 0
}
