import assert from 'node:assert/strict'
import type { RunStore } from '@troupe/schema'
import { openStoreFile } from './store-file.ts'

/** What was measured, and in how many runs. */
export interface KeptRuns {
  readonly value: number
  readonly runs: number
}

/** Measures with a store on the disk, which must then hold every run; without one where nothing is to be kept. */
export async function withStore(
  isKept: boolean,
  measure: (setup: { readonly store?: RunStore }) => Promise<KeptRuns>,
): Promise<number> {
  if (!isKept) return (await measure({})).value
  const { store, remove } = await openStoreFile()
  try {
    const { value, runs } = await measure({ store })
    assert.equal((await store.roots()).length, runs, 'runs that are kept')
    return value
  } finally {
    await store.close()
    remove()
  }
}
