import type { StoredRunSummary } from '../run-store/run-summary.ts'
import type { Style } from '../terminal/style.ts'
import { OUTCOME_LOOKS } from './outcomes.ts'

/** Returns the coloured label of a run state. */
export function stateText(state: StoredRunSummary['state'], style: Style): string {
  if (state === 'running') return style.cyan('Running')
  if (state === 'waiting') return style.yellow('Waiting')
  if (state === 'interrupted') return style.yellow('Interrupted')
  if (state === 'damaged') return style.red('Damaged')
  const { word, color } = OUTCOME_LOOKS[state]
  return style[color](word)
}
