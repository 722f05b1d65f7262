import type { RunListener } from '@troupe/schema'

/** Display of a running agent. */
export interface Reporter {
  readonly onEvent: RunListener
  /** Stops drawing while `work` uses the terminal for a question. */
  pause<T>(work: () => Promise<T>): Promise<T>
  /** Shows the final state, synchronously. Later calls and events have no effect. */
  end(): void
}

export const SILENT: Reporter = {
  onEvent: () => undefined,
  pause: (work) => work(),
  end: () => undefined,
}
