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
  waiting: [Hourglass, 'waits', 'text-warn'],
  interrupted: [CircleDashed, 'interrupted', 'text-warn'],
  damaged: [FileX, 'damaged in the store', 'text-bad'],
}

/**
 * Shows the state of a run or a call as an icon, with its name unless `compact`. A compact icon does not move, because
 * many rows with moving icons keep the browser busy. A run can wait for an answer that only its terminal, its client or
 * another server can give, so only a run with `isForYou` waits for the user of the page.
 */
export function StateBadge({
  state,
  compact = false,
  isForYou = false,
}: {
  readonly state: DisplayState
  readonly compact?: boolean
  /** True if the run has an approval or a question that can be answered here. Default: false. */
  readonly isForYou?: boolean
}): ReactElement {
  const [Icon, name, tone] = LOOKS[state]
  const word = state === 'waiting' && isForYou ? 'waits for you' : name
  return (
    <span
      className={classNames('inline-flex items-center gap-1 text-small whitespace-nowrap', tone)}
      title={word}
      {...(compact ? { role: 'img', 'aria-label': word } : {})}
    >
      <Icon
        aria-hidden="true"
        className={classNames('size-3.5 shrink-0', state === 'running' && !compact && 'animate-spin')}
        strokeWidth={2.4}
      />
      {compact ? null : <span className="font-medium">{word}</span>}
    </span>
  )
}
