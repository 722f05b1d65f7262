import assert from 'node:assert/strict'
import type { ToolEffect } from '@troupe/schema'
import { cpuOf } from '../cpu.ts'
import { LAST_WORDS, slowLoopModel } from '../models.ts'
import type { Effort } from '../probe.ts'
import { troupe } from '../subjects/troupe.ts'
import { withStore } from '../with-store.ts'

/** Wall µs of a run whose model takes `latencyMs` for each turn, kept on the disk or not. */
export function measureKept(
  options: Effort & {
    readonly turns: number
    readonly latencyMs: number
    readonly kept: boolean
    readonly effect: ToolEffect
  },
): Promise<number> {
  const { turns, latencyMs, kept, effect } = options
  return withStore(kept, async (setup) => {
    const run = troupe.loop({ model: slowLoopModel(turns, latencyMs), turns, effect, ...setup })
    let runs = 0
    const { wall } = await cpuOf(async () => {
      assert.equal(await run(), LAST_WORDS)
      runs += 1
    }, options)
    return { value: wall, runs }
  })
}
