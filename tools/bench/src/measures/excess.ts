import assert from 'node:assert/strict'
import { cpuOf } from '../cpu.ts'
import { LAST_WORDS, leafModel, parentModel } from '../models.ts'
import type { Effort } from '../probe.ts'
import type { Subject } from '../subjects/subject.ts'

/** One turn asks for far more calls than are allowed: CPU µs of the whole run, or bytes by which its first run makes the process grow. */
export async function measureExcess(
  subject: Subject,
  options: Effort & { readonly calls: number; readonly allowed: number; readonly what: 'cpu' | 'rss' },
): Promise<number> {
  const { calls, allowed, what } = options
  const parent = parentModel(calls)
  const child = leafModel()
  const run = subject.fanOut({ parent, child, children: calls, allowed })
  let runs = 0
  const runOnce = async (): Promise<void> => {
    assert.equal(await run(), LAST_WORDS)
    runs += 1
    assert.equal(child.requests, runs * allowed, 'children that ran')
    assert.equal(parent.results, calls, 'results that the model was given')
  }
  if (what === 'cpu') return (await cpuOf(runOnce, options)).cpu
  const before = process.memoryUsage.rss()
  await runOnce()
  return process.memoryUsage.rss() - before
}
