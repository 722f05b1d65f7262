import { historyOf, type HistoryRun } from '@troupe/timeline'
import type { Picture } from '../folds/picture.ts'

/** A turn of a run from which another way can be gone. */
export interface ForkPoint {
  /** In the words of the server: `2` of the root, `1.2/3` of the run that its call 1.2 opened. */
  readonly at: string
  /** For people: `Reporter[1], turn 2`. */
  readonly label: string
  readonly agent: string
}

/** All turns of a root and of the runs below it, each run with its turns together. */
export function forkPoints({ timeline }: Picture): readonly ForkPoint[] {
  const pointsOf = ({ run, calls }: HistoryRun, way: readonly string[]): readonly ForkPoint[] => [
    ...Array.from({ length: run.turn }, (_, index) => ({
      at: [...way, index + 1].join('/'),
      label: `${run.instance}, turn ${index + 1}`,
      agent: run.agent,
    })),
    ...calls.flatMap(({ call, runs }) =>
      runs.slice(-1).flatMap((child) => pointsOf(child, [...way, call.callId])),
    ),
  ]
  return historyOf(timeline).flatMap((root) => pointsOf(root, []))
}
