import type { RunLabel } from '@troupe/client'
import { formatDuration } from '@troupe/timeline'
import { ListTree, RotateCw } from 'lucide-react'
import { useEffect, type ReactElement } from 'react'
import { useIsForYou } from '../api/answerable.ts'
import { useServerLink } from '../api/server-link.ts'
import { useNow, useRun } from '../feed/use-run.ts'
import { rootOf, runState, usageOf, type RunViewState } from '../reducers/run-view-state.ts'
import { hrefOf } from '../route/route.ts'
import { RunApprovals } from '../approvals/run-approvals.tsx'
import { LabelButtons } from '../runs/label-buttons.tsx'
import { InterruptedNote } from '../runs/run-notes.tsx'
import { groupedRuns } from '../timeline/transcript-groups.ts'
import { TranscriptView } from '../timeline/transcript-view.tsx'
import { Button, buttonClasses, CopyButton } from '../ui/button.tsx'
import { costText, durationText, tokensText } from '../ui/format.ts'
import { FailureNotice } from '../ui/notice.tsx'
import { StateBadge } from '../ui/state-badge.tsx'
import { useRunAnnouncements } from './run-announcements.ts'
import type { PendingFile } from './attachments.ts'
import type { MessageVersions } from './conversation-tree.ts'
import { OwnMessage } from './own-message.tsx'

/** Shows a message and the run that answers it, live. */
export function ChatMessageView({
  runId,
  text,
  files = [],
  versions,
  label,
  agent,
  onLive,
  onReplace,
  canReplace = false,
  onOpenRun,
}: {
  readonly runId: string
  /** The text of the message, shown until the server returns the input of the run. */
  readonly text: string
  /** Files that were sent with the message from this page. */
  readonly files?: readonly PendingFile[]
  /** `undefined` if the message has one version only. */
  readonly versions?: MessageVersions | undefined
  /** The label of the run when the conversation was read. */
  readonly label?: RunLabel | undefined
  readonly agent: string
  /** Called when the run becomes active or inactive, then with its cost in USD; `null` if a price is unknown. */
  readonly onLive: (runId: string, isLive: boolean, cost?: number | null) => void
  /** Sends the same or another text in place of the message. `undefined` if the conversation is read-only. */
  readonly onReplace?: ((text: string) => void) | undefined
  /** False while a run is active. The buttons keep their places. */
  readonly canReplace?: boolean
  readonly onOpenRun?: ((runId: string) => void) | undefined
}): ReactElement {
  const { viewState, link, details } = useRun(runId)
  const server = useServerLink()
  const isForYou = useIsForYou()
  const root = rootOf(viewState)
  const isInterrupted = viewState.interruptedAt !== undefined
  const isLive =
    link !== 'unknown' && !isInterrupted && (root === undefined ? link !== 'over' : root.state !== 'done')
  const isLost = isLive && (server.isLost || link === 'lost')
  const isAsking = viewState.timeline.runs.some(({ approvals }) => approvals.length > 0)
  const now = useNow(isLive)
  const { micros, unpriced } = usageOf(viewState)
  const cost = unpriced > 0 ? null : micros / 1_000_000
  const endCost = isLive ? undefined : cost
  useEffect(() => onLive(runId, isLive, endCost), [onLive, runId, isLive, endCost])
  useRunAnnouncements(viewState, isLive && root !== undefined, isLost)
  return (
    <article className="flex flex-col gap-4" aria-label={`Message: ${text.slice(0, 60)}`}>
      <OwnMessage
        text={root?.input ?? text}
        files={files}
        agent={agent}
        versions={versions}
        onEdit={onReplace}
        canEdit={canReplace}
      />
      <div className="flex flex-col gap-3" aria-busy={isLive && !isLost}>
        <h2 className="flex items-center gap-2 text-small font-semibold">{agent}</h2>
        {root === undefined ? null : (
          <TranscriptView run={root} viewState={viewState} onOpenRun={onOpenRun} />
        )}
        {isLive && !isLost ? <LiveChildren viewState={viewState} /> : null}
        <div className="-mx-4 sm:-mx-6">
          <RunApprovals viewState={viewState} rootRunId={runId} />
        </div>
        {root?.error === undefined || root.error.code === 'run_cancelled' ? null : (
          <FailureNotice failure={root.error} isAnnounced={false} />
        )}
        {isInterrupted && details !== undefined ? <InterruptedNote details={details} /> : null}
        {link === 'unknown' ? <p className="text-small text-muted">The answer is no longer stored.</p> : null}
        {isLost ? (
          <p className="text-small text-warn">
            The connection is lost. The answer above may be incomplete; the rest appears when the server
            responds.
          </p>
        ) : null}
        {isLive && !isLost && !isAsking ? (
          <p className="breathing text-small text-muted">{root?.activity ?? 'starting'} …</p>
        ) : null}
        {root === undefined || isLive ? null : (
          <footer className="flex flex-wrap items-center gap-x-3 gap-y-1 text-tiny text-muted tabular">
            <StateBadge state={runState(root, viewState)} isForYou={isForYou(root.approvals)} />
            <span>
              {durationText(root) ?? formatDuration((viewState.interruptedAt ?? now) - root.startedAt)}
            </span>
            <span>{tokensText(usageOf(viewState))} tokens</span>
            <span>{costText(usageOf(viewState))}</span>
            <span className="font-mono">{root.model}</span>
            <a href={hrefOf({ page: 'run', runId })} className={buttonClasses('quiet', 'small')}>
              <ListTree aria-hidden="true" className="size-3.5" /> Timeline
            </a>
            {onReplace === undefined ? null : (
              <Button tone="quiet" size="small" disabled={!canReplace} onClick={() => onReplace(root.input)}>
                <RotateCw aria-hidden="true" className="size-3.5" /> Try again
              </Button>
            )}
            {root.text === '' ? null : <CopyButton text={root.text} label="Copy answer" />}
            <LabelButtons runId={runId} label={label} />
          </footer>
        )}
      </div>
    </article>
  )
}

/** Lists the active child runs with their activity and the end of their output. */
function LiveChildren({ viewState }: { readonly viewState: RunViewState }): ReactElement | null {
  const now = useNow(true)
  const isForYou = useIsForYou()
  const root = rootOf(viewState)
  // Children of a group are one line of the transcript already, with all runs below them.
  const grouped = root === undefined ? new Set<string>() : groupedRuns(root, viewState)
  const shown = new Set<string>()
  for (const { runId, parentRunId = '' } of viewState.timeline.runs)
    if (!grouped.has(runId) && (parentRunId === root?.runId || shown.has(parentRunId))) shown.add(runId)
  const open = viewState.timeline.runs.filter((run) => shown.has(run.runId) && run.state !== 'done')
  if (open.length === 0) return null
  return (
    <ul aria-label="Running agents" className="flex flex-col gap-1 border-l-2 border-accent/40 pl-3">
      {open.map((run) => (
        <li key={run.runId} className="flex min-w-0 items-baseline gap-2 text-small">
          <StateBadge compact state={runState(run, viewState)} isForYou={isForYou(run.approvals)} />
          <span className="shrink-0 font-medium">{run.instance}</span>
          <span className="truncate text-muted">{run.text === '' ? run.activity : run.text.slice(-160)}</span>
          <span className="ml-auto shrink-0 text-tiny text-muted tabular">
            {formatDuration(Math.max(0, now - run.startedAt))}
          </span>
        </li>
      ))}
    </ul>
  )
}
