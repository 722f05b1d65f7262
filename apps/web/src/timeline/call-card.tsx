import { formatDuration, type CallView, type TimelineRun } from '@troupe/timeline'
import { ArrowRight, ChevronRight } from 'lucide-react'
import type { ReactElement } from 'react'
import { callState, type RunViewState } from '../reducers/run-view-state.ts'
import { Button } from '../ui/button.tsx'
import { JsonView } from '../ui/json-view.tsx'
import { StateBadge } from '../ui/state-badge.tsx'
import { CallResult } from './call-result.tsx'

/** Shows a tool call as a line that expands to its arguments and result. */
export function CallCard({
  call,
  run,
  viewState,
  onOpenRun,
}: {
  readonly call: CallView
  readonly run: TimelineRun
  readonly viewState: RunViewState
  readonly onOpenRun?: ((runId: string) => void) | undefined
}): ReactElement {
  const { childRunId } = call
  return (
    <details className="group min-w-0 rounded-md border border-line bg-panel">
      <summary className="flex min-h-9 items-center gap-2 rounded-md px-2.5 py-1 text-small">
        <ChevronRight
          aria-hidden="true"
          className="size-3.5 shrink-0 text-muted transition-transform group-open:rotate-90"
        />
        <span className="truncate font-mono">{call.childInstance ?? call.toolName}</span>
        <StateBadge compact state={callState(call, run, viewState)} />
        <span className="ml-auto truncate text-tiny text-muted tabular">
          {call.durationMs === undefined ? (call.progress ?? '') : formatDuration(call.durationMs)}
        </span>
      </summary>
      <div className="flex flex-col gap-3 border-t border-line px-2.5 py-2.5">
        <JsonView name="arguments" value={call.args} />
        <CallResult call={call} />
        {childRunId === undefined || onOpenRun === undefined ? null : (
          <Button className="self-start" onClick={() => onOpenRun(childRunId)}>
            What {call.childInstance ?? 'the agent'} did
            <ArrowRight aria-hidden="true" className="size-3.5" />
          </Button>
        )}
      </div>
    </details>
  )
}
