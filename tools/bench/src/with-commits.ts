import assert from 'node:assert/strict'
import { rawStore } from './stores/raw.ts'

/** Measures with `node:sqlite` itself, where `isCommitted`: `beforeCall` puts a call on the disk, and must have been asked to. */
export async function withCommits<T>(
  isCommitted: boolean,
  measure: (setup: { readonly beforeCall?: () => Promise<void> }) => Promise<T>,
): Promise<T> {
  if (!isCommitted) return measure({})
  const raw = rawStore()
  try {
    const value = await measure({ beforeCall: () => raw.write(1) })
    assert.ok((await raw.kept()) > 0, 'calls that are kept')
    return value
  } finally {
    await raw.close()
  }
}
