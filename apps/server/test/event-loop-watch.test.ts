import { fakeClock } from '@troupe/testkit/internal'
import { setTimeout } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { createEventLoopWatch } from '../src/app/event-loop-watch.ts'
import { oneAgent } from './support/one-agent.ts'
import { serveTeam } from './support/serve-team.ts'

/** Blocks the event loop of this process. */
function blockEventLoop(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/** Lets the timer of the watch fire, which is due every 10 ms. */
async function measured(): Promise<void> {
  await setTimeout(30)
}

it('GET /metrics reports the longest stall of the event loop since the last scrape', async () => {
  const { url } = await serveTeam(oneAgent(() => ({ text: 'Hello.' })))
  const scrape = async (): Promise<{ readonly max: number; readonly p99: number }> => {
    const text = await (await fetch(`${url}/metrics`)).text()
    const read = (statistic: string): number =>
      Number(new RegExp(`^troupe_event_loop_stall_seconds_${statistic} (\\S+)$`, 'mu').exec(text)?.[1])
    return { max: read('max'), p99: read('p99') }
  }
  await measured()
  blockEventLoop(300)
  await measured()
  const stalled = await scrape()
  expect(stalled.max).toBeGreaterThanOrEqual(0.25)
  // with so few turns the longest is the 99th percentile
  expect(stalled.p99).toBeGreaterThanOrEqual(0.25)
  await measured()
  const quiet = await scrape()
  expect(quiet.max).toBeLessThan(0.25)
  expect(quiet.p99).toBeLessThanOrEqual(quiet.max)
})

it('a period without a measured turn of the event loop has no delay', () => {
  const watch = createEventLoopWatch({ clock: fakeClock() })
  watch.start()
  onTestFinished(() => watch.close())
  expect(watch.takeDelays()).toEqual({ max: 0, p99: 0 })
  expect(watch.takeDelays()).toEqual({ max: 0, p99: 0 })
})

/** Opens a watch whose stalls come from the test, so that a busy machine does not add any. */
function watchWithStalls(): {
  readonly stalls: readonly number[]
  readonly clock: ReturnType<typeof fakeClock>
  /** Records a stall, and lets the watch check. */
  stall(ms: number): Promise<void>
} {
  const clock = fakeClock()
  const stalls: number[] = []
  let longest = 0
  const watch = createEventLoopWatch({
    clock,
    onStall: ({ ms }) => void stalls.push(ms),
    openHistogram: () => ({
      get max() {
        return (longest + 10) * 1e6
      },
      percentile: () => 0,
      reset: () => void (longest = 0),
      enable: () => true,
      disable: () => true,
    }),
  })
  watch.start()
  onTestFinished(() => watch.close())
  return {
    stalls,
    clock,
    async stall(ms) {
      longest = ms
      await clock.advance(1000)
    },
  }
}

it('a stall of the event loop is reported once in a minute with the longest of that time', async () => {
  const { stalls, clock, stall } = watchWithStalls()
  await stall(1100)
  expect(stalls).toEqual([1100])
  await stall(2200)
  await stall(1100)
  expect(stalls).toEqual([1100])
  await clock.advance(60_000)
  expect(stalls).toEqual([1100, 2200])
  await clock.advance(600_000)
  expect(stalls).toEqual([1100, 2200])
})

it('a stall of less than a second, as on a busy machine, is not reported', async () => {
  const { stalls, stall } = watchWithStalls()
  await stall(999)
  expect(stalls).toEqual([])
  await stall(1000)
  expect(stalls).toEqual([1000])
})
