import assert from 'node:assert/strict'
import { median } from '../median.ts'
import { tokenModel } from '../models.ts'
import type { Effort } from '../probe.ts'
import type { Subject } from '../subjects/subject.ts'

const TOKENS = 20
const WARM_UP = 200

/** Median wall time in µs from the start of a run to its first token; one run at a time. */
export async function measureFirstToken(subject: Subject, { budgetMs }: Effort): Promise<number> {
  const waits: number[] = []
  let startedAt = 0
  let heard = 0
  const run = subject.stream({
    model: tokenModel(TOKENS),
    onToken: () => {
      if (heard === 0) waits.push(performance.now() - startedAt)
      heard += 1
    },
  })
  const end = performance.now() + budgetMs
  while (waits.length < 2 * WARM_UP || performance.now() < end) {
    heard = 0
    startedAt = performance.now()
    await run()
    assert.equal(heard, TOKENS, 'tokens that arrived')
  }
  return median(waits.slice(WARM_UP)) * 1000
}
