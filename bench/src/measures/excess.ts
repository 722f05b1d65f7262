import assert from 'node:assert/strict'
import { LAST_WORDS, leafModel, parentModel } from '../models.ts'
import type { Subject } from '../subjects/subject.ts'

/** One turn asks for far more calls than are allowed: µs of the whole run, or bytes by which the process grew. The allowed calls run, each other one is answered. */
export async function measureExcess(
  subject: Subject,
  options: { readonly calls: number; readonly allowed: number; readonly what: 'wall' | 'rss' },
): Promise<number> {
  const { calls, allowed, what } = options
  const parent = parentModel(calls)
  const child = leafModel()
  const run = subject.fanOut({ parent, child, children: calls, allowed })
  const startedAt = performance.now()
  const before = process.memoryUsage.rss()
  assert.equal(await run(), LAST_WORDS)
  const cost = what === 'wall' ? (performance.now() - startedAt) * 1000 : process.memoryUsage.rss() - before
  assert.equal(child.requests, allowed, 'children that ran')
  assert.equal(parent.results, calls, 'results that the model was given')
  return cost
}
