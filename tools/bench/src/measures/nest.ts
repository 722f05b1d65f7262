import assert from 'node:assert/strict'
import { cpuPerCall } from '../cpu.ts'
import { loadFramework } from '../frameworks/load-framework.ts'
import type { Measure } from '../sample-options.ts'
import { childScript, FINAL_TEXT, parentScript } from '../script.ts'

/** Returns the CPU µs of a run in which an agent calls an agent that calls an agent …, `size` levels below the first. */
export const measure: Measure = async ({ subject, size: depth, budgetMs }) => {
  const names = Array.from({ length: depth }, (_, index) => `child_${index}`)
  const leaf = childScript(0)
  const parents = names.map((name) => parentScript(name, 1))
  const framework = await loadFramework(subject)
  const { call, close } = await framework.team({ scripts: [...parents, leaf], names, width: 1 })
  let runs = 0
  const cpu = await cpuPerCall(async () => {
    assert.equal(await call(), FINAL_TEXT)
    runs += 1
  }, budgetMs)
  assert.equal(leaf.requests, runs, 'runs of the deepest agent')
  for (const parent of parents) assert.equal(parent.requests, 2 * runs, 'requests of each parent')
  await close?.()
  return cpu
}
