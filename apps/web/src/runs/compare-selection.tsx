import { useState, type ReactElement } from 'react'
import { goTo } from '../route/route.ts'
import { Button } from '../ui/button.tsx'

/** The runs that are selected for a comparison. */
export interface CompareSelection {
  /** False while no runs can be selected. */
  readonly isOn: boolean
  /** At most two ids, in the order of their selection. */
  readonly runIds: readonly string[]
  start(): void
  stop(): void
  toggle(runId: string): void
}

/** Returns the state of the selection of two runs. */
export function useCompareSelection(): CompareSelection {
  const [runIds, setRunIds] = useState<readonly string[]>()
  return {
    isOn: runIds !== undefined,
    runIds: runIds ?? [],
    start: () => setRunIds([]),
    stop: () => setRunIds(undefined),
    toggle: (runId) => setRunIds((before = []) => toggled(before, runId)),
  }
}

/** Adds or removes a run. A third run replaces the one that was selected last. */
export function toggled(runIds: readonly string[], runId: string): readonly string[] {
  if (runIds.includes(runId)) return runIds.filter((id) => id !== runId)
  return [...runIds.slice(0, 1), runId]
}

/** Shows the button that starts a selection, then what is selected. The older run becomes the left side. */
export function CompareSelectionBar({
  selection: { isOn, runIds, start, stop },
  order,
}: {
  readonly selection: CompareSelection
  /** The ids of the listed runs, newest first. */
  readonly order: readonly string[]
}): ReactElement {
  const [right, left] = runIds.toSorted((a, b) => order.indexOf(a) - order.indexOf(b))
  if (!isOn)
    return (
      <Button className="max-sm:h-[44px]" disabled={order.length < 2} onClick={start}>
        Compare
      </Button>
    )
  return (
    <span className="flex flex-wrap items-center gap-2">
      <span role="status" className="text-small text-muted">
        {runIds.length === 2 ? '2 runs selected' : 'Select two runs'}
      </span>
      <Button
        className="max-sm:h-[44px]"
        tone="solid"
        disabled={left === undefined || right === undefined}
        onClick={() => left !== undefined && right !== undefined && goTo({ page: 'compare', left, right })}
      >
        Compare
      </Button>
      <Button className="max-sm:h-[44px]" onClick={stop}>
        Cancel
      </Button>
    </span>
  )
}
