import assert from 'node:assert/strict'
import { branchModel, LAST_WORDS } from '../models.ts'
import type { Subject } from '../subjects/subject.ts'

const WIDTH = 5

/** Runs of a tree whose agents all call five others, five levels deep: 781 if nothing stopped it. */
export async function measureTree(subject: Subject, { cap }: { readonly cap: number }): Promise<number> {
  let runs = 0
  const branch = (): ReturnType<typeof branchModel> => branchModel(WIDTH, () => (runs += 1))
  const leaf = branchModel(0, () => (runs += 1))
  const run = subject.nest([branch(), branch(), branch(), branch(), leaf], { maxRuns: cap })
  assert.equal(await run(), LAST_WORDS)
  assert.equal(runs, cap, 'runs')
  return runs
}
