/** Cells that the watching thread shares with the main thread: `wait` is only waited for, `heard` counts the notices that the main thread has heard. */
export const CELLS = { wait: 0, heard: 1, count: 2 } as const

/** What the watching thread tells. An orphan is only asked to show that it hears. */
export type Notice = 'interrupted' | 'orphaned'

/** What the watching thread is given. */
export interface OutsideWorkerData {
  readonly cells: Int32Array
  /** Without a terminal there is no Ctrl-C that the main thread could miss: only the parent is watched. */
  readonly hasTerminal: boolean
}
