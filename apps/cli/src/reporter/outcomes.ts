import type { Outcome } from '@troupe/schema'
import type { Style } from '../terminal/style.ts'

/** How the end of a run is marked, called and coloured. */
export interface OutcomeLook {
  readonly mark: string
  readonly word: string
  readonly color: keyof Style
}

/** The look of each outcome. "Completed" is said of nothing else (R6). */
export const OUTCOME_LOOKS: Readonly<Record<Outcome, OutcomeLook>> = {
  completed: { mark: '✓', word: 'Completed', color: 'green' },
  partial: { mark: '◐', word: 'Partial answer', color: 'yellow' },
  failed: { mark: '✗', word: 'Failed', color: 'red' },
  timeout: { mark: '✗', word: 'Timed out', color: 'red' },
  budget: { mark: '✗', word: 'Out of budget', color: 'red' },
  cancelled: { mark: '■', word: 'Cancelled', color: 'dim' },
  denied: { mark: '✗', word: 'Denied', color: 'red' },
}
