import assert from 'node:assert/strict'

/** Bytes of the heap that are in use after two full collections. Needs `--expose-gc`. */
export function liveHeap(): number {
  assert(globalThis.gc, 'run with --expose-gc')
  globalThis.gc()
  globalThis.gc()
  return process.memoryUsage().heapUsed
}
