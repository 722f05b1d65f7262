import { historyOf, type HistoryRun } from '@troupe/timeline'
import type { RunViewState } from '../reducers/run-view-state.ts'

/** A turn at which a run can be forked. */
export interface ForkPoint {
  /** In the format of the server: `2` in the root run, `1.2/3` in the run of its call 1.2. */
  readonly at: string
  /** Such as `Reporter[1], turn 2`. */
  readonly label: string
  readonly agent: string
}

/** Returns all turns of a run tree, grouped by run. */
export function forkPoints({ timeline }: RunViewState): readonly ForkPoint[] {
  const pointsOf = ({ run, calls }: HistoryRun, path: readonly string[]): readonly ForkPoint[] => [
    ...Array.from({ length: run.turn }, (_, index) => ({
      at: [...path, index + 1].join('/'),
      label: `${run.instance}, turn ${index + 1}`,
      agent: run.agent,
    })),
    ...calls.flatMap(({ call, runs }) =>
      runs.slice(-1).flatMap((child) => pointsOf(child, [...path, call.callId])),
    ),
  ]
  return historyOf(timeline).flatMap((root) => pointsOf(root, []))
}
