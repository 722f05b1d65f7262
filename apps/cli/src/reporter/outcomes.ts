import type { Failure, Outcome } from '@troupe/schema'
import type { Style } from '../terminal/terminal.ts'
import type { StoredRunSummary } from '../run-store/run-summary.ts'

/** Mark, label and colour of an outcome. */
interface OutcomeLook {
  readonly mark: string
  readonly word: string
  readonly color: keyof Style
}

/** Look of each outcome. */
export const OUTCOME_LOOKS: Readonly<Record<Outcome, OutcomeLook>> = {
  completed: { mark: '✓', word: 'Completed', color: 'green' },
  partial: { mark: '◐', word: 'Partial answer', color: 'yellow' },
  failed: { mark: '✗', word: 'Failed', color: 'red' },
  timeout: { mark: '✗', word: 'Timed out', color: 'red' },
  budget: { mark: '✗', word: 'Out of budget', color: 'red' },
  cancelled: { mark: '■', word: 'Cancelled', color: 'dim' },
  denied: { mark: '✗', word: 'Denied', color: 'red' },
}

const INTERRUPTED: OutcomeLook = { mark: '■', word: 'Interrupted', color: 'yellow' }

/** Returns the look of an outcome. A cancelled run that can be resumed is shown as interrupted. */
export function lookOf(outcome: Outcome, error?: Failure): OutcomeLook {
  return error?.code === 'run_interrupted' ? INTERRUPTED : OUTCOME_LOOKS[outcome]
}

/** Returns the coloured label of a run state. */
export function stateText(state: StoredRunSummary['state'], style: Style): string {
  if (state === 'running') return style.cyan('Running')
  if (state === 'waiting') return style.yellow('Waiting')
  if (state === 'interrupted') return style.yellow('Interrupted')
  if (state === 'damaged') return style.red('Damaged')
  const { word, color } = OUTCOME_LOOKS[state]
  return style[color](word)
}
