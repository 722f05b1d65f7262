import assert from 'node:assert/strict'
import { cpuOf } from '../cpu.ts'
import { LAST_WORDS, slowLoopModel } from '../models.ts'
import type { Effort } from '../probe.ts'
import { openStoreFile } from '../store-file.ts'
import { troupe } from '../subjects/troupe.ts'

/** Wall µs of a run whose model takes `latencyMs` for each turn, kept on the disk or not. */
export async function measureKept(
  options: Effort & { readonly turns: number; readonly latencyMs: number; readonly kept: boolean },
): Promise<number> {
  const { turns, latencyMs, kept } = options
  const file = kept ? await openStoreFile() : undefined
  const model = slowLoopModel(turns, latencyMs)
  const run = troupe.loop({ model, turns, ...(file === undefined ? {} : { store: file.store }) })
  let runs = 0
  const { wall } = await cpuOf(async () => {
    assert.equal(await run(), LAST_WORDS)
    runs += 1
  }, options)
  assert.equal((await file?.store.roots())?.length ?? runs, runs, 'runs that are kept')
  await file?.store.close()
  file?.remove()
  return wall
}
