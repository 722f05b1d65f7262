import type { Json } from '@troupe/schema'
import type { PieceReader } from './piece-reader.ts'

/** Returns the committed steps of one run by key. */
export type StepReader = (runId: string) => ReadonlyMap<string, Json>

/**
 * Creates a reader of the steps of a run tree. The first call reads all of them, because its runs are usually
 * read one after the other. Later calls read only new ones.
 */
export function createStepReader(root: number, rows: PieceReader): StepReader {
  const byRun = new Map<string, Map<string, Json>>()
  let lastId = 0
  return (runId) => {
    for (const { id, steps } of rows.steps(root, lastId)) {
      lastId = id
      for (const [run, key, value] of steps) keysOf(byRun, run).set(key, value)
    }
    return new Map(byRun.get(runId))
  }
}

function keysOf(byRun: Map<string, Map<string, Json>>, runId: string): Map<string, Json> {
  const known = byRun.get(runId) ?? new Map<string, Json>()
  byRun.set(runId, known)
  return known
}
