import assert from 'node:assert/strict'
import { cpuPerCall } from '../cpu.ts'
import { loadFramework } from '../frameworks/load-framework.ts'
import type { Measure } from '../sample-options.ts'
import { FINAL_TEXT, loopScript } from '../script.ts'

/** Returns the CPU µs per turn of a run with `size` tool calls in a row, or of the whole run for 0. */
export const measure: Measure = async ({ subject, size: turns, budgetMs }) => {
  const script = loopScript(turns)
  const { call, close } = await (await loadFramework(subject)).loop({ script, turns })
  let runs = 0
  const cpu = await cpuPerCall(async () => {
    assert.equal(await call(), FINAL_TEXT)
    runs += 1
    assert.equal(script.messages, 2 + 2 * turns, 'messages of the last request')
  }, budgetMs)
  assert.equal(script.requests, runs * (turns + 1), 'requests')
  await close?.()
  return cpu / Math.max(1, turns)
}
