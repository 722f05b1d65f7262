import { Worker } from 'node:worker_threads'

/**
 * Indexes of the cells shared by the watchdog thread and the main thread. The first is only used to sleep,
 * the second counts the notices that the main thread has received.
 */
export const CELLS = { wait: 0, acknowledged: 1, count: 2 } as const

/** Notice from the watchdog thread. `orphaned` only checks that the main thread responds. */
export type WatchdogNotice = 'interrupted' | 'orphaned'

/** Data passed to the watchdog thread. */
export interface WatchdogData {
  readonly cells: Int32Array
  /** True if a terminal can send Ctrl-C. Otherwise only the parent process is watched. */
  readonly hasTerminal: boolean
}

/**
 * Starts a watchdog thread for Ctrl-C (with a terminal) and the death of the parent process, in case a
 * function of a card blocks the main thread. It passes interrupts on. If a second interrupt, or the death of
 * the parent, is not acknowledged in time, it ends the process and its servers.
 */
export function startWatchdog({
  hasTerminal,
  onInterrupt,
}: {
  readonly hasTerminal: boolean
  onInterrupt(): void
}): void {
  const cells = new Int32Array(new SharedArrayBuffer(CELLS.count * Int32Array.BYTES_PER_ELEMENT))
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const workerData: WatchdogData = { cells, hasTerminal }
  const worker = new Worker(new URL(`./watchdog-worker.${ending}`, import.meta.url), { workerData })
  worker.unref()
  worker.on('message', (notice: WatchdogNotice) => {
    Atomics.add(cells, CELLS.acknowledged, 1)
    Atomics.notify(cells, CELLS.acknowledged)
    if (notice === 'interrupted') onInterrupt()
  })
  worker.on('error', () => {
    // Without the thread, only the main thread handles the signal.
  })
}
