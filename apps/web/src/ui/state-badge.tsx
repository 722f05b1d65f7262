import {
  Ban,
  Check,
  CircleDashed,
  CircleSlash,
  Clock,
  Coins,
  FileX,
  Hourglass,
  LoaderCircle,
  Split,
  X,
  type LucideIcon,
} from 'lucide-react'
import type { ReactElement } from 'react'
import type { DisplayState } from '../reducers/run-view-state.ts'
import { classNames } from './class-names.ts'

const LOOKS: Readonly<Record<DisplayState, readonly [LucideIcon, string, string]>> = {
  completed: [Check, 'completed', 'text-good'],
  partial: [Split, 'partial', 'text-warn'],
  failed: [X, 'failed', 'text-bad'],
  timeout: [Clock, 'timed out', 'text-bad'],
  budget: [Coins, 'budget used up', 'text-warn'],
  cancelled: [CircleSlash, 'cancelled', 'text-muted'],
  denied: [Ban, 'denied', 'text-bad'],
  running: [LoaderCircle, 'running', 'text-accent'],
  queued: [CircleDashed, 'queued', 'text-muted'],
  waiting: [Hourglass, 'waits for you', 'text-warn'],
  interrupted: [CircleDashed, 'interrupted', 'text-warn'],
  damaged: [FileX, 'damaged in the store', 'text-bad'],
}

/** Shows the state of a run or a call as an icon, with its name unless `compact`. */
export function StateBadge({
  state,
  compact = false,
}: {
  readonly state: DisplayState
  readonly compact?: boolean
}): ReactElement {
  const [Icon, word, tone] = LOOKS[state]
  return (
    <span
      className={classNames('inline-flex items-center gap-1 text-small whitespace-nowrap', tone)}
      title={word}
    >
      <Icon
        aria-hidden="true"
        className={classNames('size-3.5 shrink-0', state === 'running' && 'animate-spin')}
        strokeWidth={2.4}
      />
      <span className={compact ? 'sr-only' : 'font-medium'}>{word}</span>
    </span>
  )
}
