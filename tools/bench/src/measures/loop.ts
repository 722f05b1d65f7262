import assert from 'node:assert/strict'
import type { ToolEffect } from '@troupe/schema'
import { cpuOf } from '../cpu.ts'
import { LAST_WORDS, loopModel } from '../models.ts'
import type { Effort } from '../probe.ts'
import type { Subject } from '../subjects/subject.ts'
import { withCommits } from '../with-commits.ts'
import { withStore } from '../with-store.ts'

/** CPU µs per turn; of the whole run when there are no turns. */
export function measureLoop(
  subject: Subject,
  options: Effort & {
    readonly turns: number
    readonly hooks?: number
    readonly listeners?: number
    readonly kept?: boolean
    readonly committed?: boolean
    readonly effect?: ToolEffect
  },
): Promise<number> {
  const { turns, kept = false, committed = false } = options
  return withCommits(committed, (calls) =>
    withStore(kept, async (setup) => {
      const model = loopModel(turns)
      const run = subject.loop({ ...options, ...setup, ...calls, model })
      let runs = 0
      const { cpu } = await cpuOf(async () => {
        assert.equal(await run(), LAST_WORDS)
        runs += 1
        assert.equal(model.messages, 2 + 2 * turns, 'messages of the last request')
      }, options)
      assert.equal(model.requests, runs * (turns + 1), 'requests')
      return { value: cpu / Math.max(1, turns), runs }
    }),
  )
}
