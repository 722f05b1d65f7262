import type { RunEvent } from '@troupe/client'
import { reduceRunViewState, type RunViewState } from '../reducers/run-view-state.ts'

/** The browser functions that a fold calls, injected for tests. */
export interface FoldPorts {
  /** Monotonic time in ms. */
  now(): number
  /** Calls `task` after the browser has handled what waits, such as input and frames. */
  yieldTo(task: () => void): void
}

/** Time in ms after which a fold yields to the browser. */
const SLICE_MS = 20
/** Number of events between two looks at the clock. */
const STEP = 500

/**
 * Calls `onDone` with the view state after more events: at once if there are few, else in a later task, so that a large
 * history does not block the page.
 */
export function foldInSlices(
  viewState: RunViewState,
  events: readonly RunEvent[],
  { now, yieldTo }: FoldPorts,
  onDone: (viewState: RunViewState) => void,
): void {
  let folded = viewState
  let at = 0
  const fold = (): void => {
    const end = now() + SLICE_MS
    while (at < events.length) {
      if (now() >= end) return yieldTo(fold)
      folded = reduceRunViewState(folded, events.slice(at, at + STEP))
      at += STEP
    }
    // drawing a large run takes long enough by itself
    if (events.length > STEP) yieldTo(() => onDone(folded))
    else onDone(folded)
  }
  fold()
}
