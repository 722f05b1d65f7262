import assert from 'node:assert/strict'
import { liveHeap } from '../heap.ts'
import { LAST_WORDS, loopModel } from '../models.ts'
import type { Subject } from '../subjects/subject.ts'

/** Runs before the first look at the heap: the compiler is done by then, and what it made is not counted. */
const WARM_UP = 5000

/** Less than this cannot be told from none. */
const SMALLEST = 64

/** Bytes that stay on the heap per run of one turn with a tool and one without; at least {@link SMALLEST}. */
export async function measureLeak(subject: Subject, { runs }: { readonly runs: number }): Promise<number> {
  const model = loopModel(1)
  const run = subject.loop({ model, turns: 1 })
  await repeat(run, WARM_UP)
  const before = liveHeap()
  await repeat(run, runs)
  const bytes = liveHeap() - before
  assert.equal(model.requests, 2 * (runs + WARM_UP), 'requests')
  return Math.max(SMALLEST, bytes / runs)
}

async function repeat(run: () => Promise<string>, times: number): Promise<void> {
  for (let index = 0; index < times; index++) assert.equal(await run(), LAST_WORDS)
}
