import type { ReactElement } from 'react'
import { rootOf, type RunViewState } from '../reducers/run-view-state.ts'
import { ReplayBar } from './replay-bar.tsx'
import { RunTree } from './run-tree.tsx'
import { useReplay } from './use-replay.ts'

/** Shows an ended run at a moment of its replay. */
export function ReplayView({
  viewState,
  onClose,
}: {
  readonly viewState: RunViewState
  readonly onClose: () => void
}): ReactElement {
  const replay = useReplay(viewState)
  const root = rootOf(replay.viewState)
  return (
    <>
      <ReplayBar replay={replay} onClose={onClose} />
      {root === undefined ? null : (
        <RunTree viewState={replay.viewState} root={root} now={replay.at} until={replay.to} />
      )}
    </>
  )
}
