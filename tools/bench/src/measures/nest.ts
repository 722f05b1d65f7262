import assert from 'node:assert/strict'
import { cpuOf } from '../cpu.ts'
import { LAST_WORDS, leafModel, parentModel } from '../models.ts'
import type { Effort } from '../probe.ts'
import type { Subject } from '../subjects/subject.ts'

/** CPU µs of a run in which an agent calls one that calls one …, `depth` levels below the root. */
export async function measureNest(
  subject: Subject,
  options: Effort & { readonly depth: number },
): Promise<number> {
  const leaf = leafModel()
  const [root, ...below] = Array.from({ length: options.depth }, () => parentModel(1))
  assert(root)
  const run = subject.nest([root, ...below, leaf])
  let runs = 0
  const { cpu } = await cpuOf(async () => {
    assert.equal(await run(), LAST_WORDS)
    runs += 1
  }, options)
  assert.equal(leaf.requests, runs, 'runs of the deepest agent')
  for (const model of [root, ...below]) assert.equal(model.requests, 2 * runs, 'requests')
  return cpu
}
