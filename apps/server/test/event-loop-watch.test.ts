import { setTimeout } from 'node:timers/promises'
import { fakeClock } from '@troupe/testkit'
import { expect, it, onTestFinished } from 'vitest'
import { createEventLoopWatch, type EventLoopStall } from '../src/event-loop-watch.ts'
import { oneAgent } from './support/one-agent.ts'
import { serveTeam } from './support/serve-team.ts'

/** Holds the event loop of this process. */
function blockEventLoop(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/** Lets the timer of the watch fire, which is due every 10 ms. */
async function measured(): Promise<void> {
  await setTimeout(30)
}

it('GET /metrics reports the longest stall of the event loop', async () => {
  const { url } = await serveTeam(oneAgent(() => ({ text: 'Hello.' })))
  await measured()
  blockEventLoop(300)
  await measured()
  const text = await (await fetch(`${url}/metrics`)).text()
  const [, max] = /^troupe_event_loop_stall_seconds_max (\S+)$/mu.exec(text) ?? []
  expect(Number(max)).toBeGreaterThanOrEqual(0.25)
  expect(text).toMatch(/^troupe_event_loop_stall_seconds_p99 \S+$/mu)
})

it('a stall of the event loop is reported once in a minute with the longest of that time', async () => {
  const clock = fakeClock()
  const stalls: EventLoopStall[] = []
  const watch = createEventLoopWatch({ clock, onStall: (stall) => void stalls.push(stall), thresholdMs: 60 })
  watch.start()
  onTestFinished(() => watch.close())
  const stall = async (ms: number): Promise<void> => {
    await measured()
    blockEventLoop(ms)
    await measured()
    await clock.advance(1000)
  }
  await stall(100)
  expect(stalls).toHaveLength(1)
  await stall(200)
  await stall(100)
  expect(stalls).toHaveLength(1)
  await clock.advance(60_000)
  expect(stalls).toHaveLength(2)
  expect(stalls[1]?.ms).toBeGreaterThanOrEqual(180)
  await clock.advance(600_000)
  expect(stalls).toHaveLength(2)
})
