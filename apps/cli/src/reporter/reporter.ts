import type { RunListener } from '@troupe/schema'

/** Shows a run while it goes on. */
export interface Reporter {
  readonly onEvent: RunListener
  /** Keeps the terminal free for a question while `work` runs. */
  pause<T>(work: () => Promise<T>): Promise<T>
  /** Shows the last state; nothing is shown afterwards. Synchronous; a second call does nothing. */
  end(): void
}

/** Shows nothing. */
export const SILENT: Reporter = {
  onEvent: () => undefined,
  pause: (work) => work(),
  end: () => undefined,
}
