import { formatDuration, type CallView, type TimelineRun } from '@troupe/timeline'
import { ArrowRight, Brain, ChevronRight, Info, TriangleAlert } from 'lucide-react'
import type { ReactElement } from 'react'
import { callState, type RunViewState } from '../reducers/run-view-state.ts'
import type { TranscriptItem } from '../reducers/transcript.ts'
import { Button } from '../ui/button.tsx'
import { JsonView } from '../ui/json-view.tsx'
import { Prose } from '../ui/prose.tsx'
import { StateBadge } from '../ui/state-badge.tsx'
import { CallResult } from './call-details.tsx'

/** Shows the transcript of a run: texts as they arrive, and calls with their results. */
export function TranscriptView({
  run,
  viewState,
  onOpenRun,
}: {
  readonly run: TimelineRun
  readonly viewState: RunViewState
  /** Called with the id of the child run to show. */
  readonly onOpenRun?: ((runId: string) => void) | undefined
}): ReactElement {
  const transcript = viewState.transcripts.get(run.runId) ?? []
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {transcript.map((item, index) => (
        <Item key={index} item={item} run={run} viewState={viewState} onOpenRun={onOpenRun} />
      ))}
    </div>
  )
}

function Item({
  item,
  run,
  viewState,
  onOpenRun,
}: {
  readonly item: TranscriptItem
  readonly run: TimelineRun
  readonly viewState: RunViewState
  readonly onOpenRun: ((runId: string) => void) | undefined
}): ReactElement | null {
  switch (item.kind) {
    case 'text':
      return item.text === '' ? null : <Prose text={item.text} />
    case 'reasoning':
      return (
        <details className="text-small text-muted" open={item.isOpen}>
          <summary className="flex items-center gap-1.5 rounded-sm">
            <Brain aria-hidden="true" className="size-3.5" />
            Reasoning
          </summary>
          <p className="mt-1 border-l-2 border-line pl-3 whitespace-pre-wrap">{item.text}</p>
        </details>
      )
    case 'call': {
      const call = run.calls.find(({ callId }) => callId === item.callId)
      return call === undefined ? null : (
        <CallCard call={call} run={run} viewState={viewState} onOpenRun={onOpenRun} />
      )
    }
    default:
      return (
        <p
          className={
            item.tone === 'warn' ? 'flex gap-1.5 text-small text-warn' : 'flex gap-1.5 text-small text-muted'
          }
        >
          {item.tone === 'warn' ? (
            <TriangleAlert aria-hidden="true" className="mt-0.5 size-3.5 shrink-0" />
          ) : (
            <Info aria-hidden="true" className="mt-0.5 size-3.5 shrink-0" />
          )}
          <span className="min-w-0 break-words whitespace-pre-wrap">{item.text}</span>
        </p>
      )
  }
}

/** Shows a tool call as a line that expands to its arguments and result. */
function CallCard({
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
