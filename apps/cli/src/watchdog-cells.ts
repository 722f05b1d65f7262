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
