import assert from 'node:assert/strict'
import { cpuPerCall } from '../cpu.ts'
import { loadFramework } from '../frameworks/load-framework.ts'
import type { Measure } from '../sample-options.ts'
import { childScript, FINAL_TEXT, parentScript } from '../script.ts'

const CHILD = 'child'
const LATENCY_MS = 20

/** Returns the CPU µs per child of a run that calls `size` child agents in one turn. The model of a child takes 20 ms. */
export const measure: Measure = async ({ subject, size: children, budgetMs }) => {
  const parent = parentScript(CHILD, children)
  const child = childScript(LATENCY_MS)
  const framework = await loadFramework(subject)
  const { call, close } = await framework.team({ scripts: [parent, child], names: [CHILD], width: children })
  let runs = 0
  const cpu = await cpuPerCall(async () => {
    assert.equal(await call(), FINAL_TEXT)
    runs += 1
    assert.equal(child.requests, runs * children, 'children that ran')
  }, budgetMs)
  await close?.()
  return cpu / children
}
