import { Worker } from 'node:worker_threads'
import { CELLS, type Notice, type OutsideWorkerData } from './outside-cells.ts'

/**
 * Watches on a thread of its own what a function of a card that never gives the main thread back would keep from being heard: Ctrl-C, where
 * there is a terminal, and the death of the parent. An interrupt is passed on; when a second one is not heard either, or nothing is heard
 * after the parent has died, the process is ended from there, with its servers.
 */
export function watchOutside({
  hasTerminal,
  onInterrupt,
}: {
  readonly hasTerminal: boolean
  onInterrupt(): void
}): void {
  const cells = new Int32Array(new SharedArrayBuffer(CELLS.count * Int32Array.BYTES_PER_ELEMENT))
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const workerData: OutsideWorkerData = { cells, hasTerminal }
  const worker = new Worker(new URL(`./outside-worker.${ending}`, import.meta.url), { workerData })
  worker.unref()
  worker.on('message', (notice: Notice) => {
    Atomics.add(cells, CELLS.heard, 1)
    Atomics.notify(cells, CELLS.heard)
    if (notice === 'interrupted') onInterrupt()
  })
  worker.on('error', () => {
    // no such thread can be had: the signal is heard by the main thread alone
  })
}
