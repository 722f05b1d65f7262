import type { ReactElement } from 'react'
import { rootOf, type Picture } from '../folds/picture.ts'
import { ReplayBar } from './replay-bar.tsx'
import { RunTree } from './run-tree.tsx'
import { useReplay } from './use-replay.ts'

/** Shows an ended run at a moment of its replay. */
export function ReplayView({
  picture,
  onClose,
}: {
  readonly picture: Picture
  readonly onClose: () => void
}): ReactElement {
  const replay = useReplay(picture)
  const root = rootOf(replay.picture)
  return (
    <>
      <ReplayBar replay={replay} onClose={onClose} />
      {root === undefined ? null : (
        <RunTree picture={replay.picture} root={root} now={replay.at} until={replay.to} />
      )}
    </>
  )
}
