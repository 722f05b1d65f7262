import { formatDuration, type CallView, type TimelineRun } from '@troupe/timeline'
import { ArrowRight, Brain, ChevronRight, Info, Layers, TriangleAlert } from 'lucide-react'
import { useMemo, useState, type ReactElement } from 'react'
import { callState, type RunViewState } from '../reducers/run-view-state.ts'
import { Button } from '../ui/button.tsx'
import { JsonView } from '../ui/json-view.tsx'
import { Prose } from '../ui/prose.tsx'
import { StateBadge } from '../ui/state-badge.tsx'
import { inputLine } from '../waterfall/input-line.ts'
import { summaryText } from '../waterfall/row-text.ts'
import { summarize } from '../waterfall/sibling-groups.ts'
import { CallResult } from './call-details.tsx'
import { LazyChunks } from './lazy-chunks.tsx'
import { groupTranscript, type TranscriptEntry } from './transcript-groups.ts'

/** Props of the transcript of a run. */
interface TranscriptProps {
  readonly run: TimelineRun
  readonly viewState: RunViewState
  /** Called with the id of the child run to show. */
  readonly onOpenRun?: ((runId: string) => void) | undefined
}

/** Height of a call that is closed, and of the space after it, in px. */
const ENTRY_HEIGHT = 48

/**
 * Shows the transcript of a run: texts as they arrive, and calls with their results. Five or more calls of the
 * same agent or tool are one line. Only the entries near the view are mounted.
 */
export function TranscriptView({ run, viewState, onOpenRun }: TranscriptProps): ReactElement {
  const transcript = viewState.transcripts.get(run.runId)
  const entries = useMemo(() => groupTranscript(transcript ?? [], run.calls), [transcript, run.calls])
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <LazyChunks
        items={entries}
        itemHeight={ENTRY_HEIGHT}
        className="flex min-w-0 flex-col gap-3"
        render={(entry, index) => (
          <Entry key={index} entry={entry} run={run} viewState={viewState} onOpenRun={onOpenRun} />
        )}
      />
    </div>
  )
}

function Entry({
  entry,
  ...props
}: TranscriptProps & { readonly entry: TranscriptEntry }): ReactElement | null {
  if (entry.kind === 'call') return <CallCard call={entry.call} {...props} />
  if (entry.kind === 'calls') return <CallGroupCard name={entry.name} calls={entry.calls} {...props} />
  const { item } = entry
  switch (item.kind) {
    case 'text':
      return item.text === '' ? null : <Prose text={item.text} isStreaming={item.isOpen} />
    case 'reasoning':
      return (
        <details className="text-small text-muted" open={item.isOpen}>
          <summary className="flex items-center gap-1.5 rounded-sm">
            <Brain aria-hidden="true" className="size-3.5" />
            Reasoning
          </summary>
          <p dir="auto" className="mt-1 border-s-2 border-line ps-3 whitespace-pre-wrap">
            {item.text}
          </p>
        </details>
      )
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
          <span dir="auto" className="min-w-0 break-words whitespace-pre-wrap">
            {item.text}
          </span>
        </p>
      )
  }
}

const SUMMARY_CLASSES =
  'flex min-h-9 items-center gap-2 rounded-md px-2.5 py-1 text-small pointer-coarse:min-h-[44px]'

/** Shows several calls of the same agent or tool as a line with their numbers, which expands to the calls. */
function CallGroupCard({
  name,
  calls,
  ...props
}: TranscriptProps & { readonly name: string; readonly calls: readonly CallView[] }): ReactElement {
  const [isOpen, setOpen] = useState(false)
  const micros = calls.reduce((sum, call) => sum + costBelow(call, props.viewState), 0)
  const numbers = summaryText(
    summarize(
      calls.map((call) => ({
        state: callState(call, props.run, props.viewState),
        durationMs: call.durationMs,
      })),
    ),
    micros,
  )
  return (
    <details
      className="min-w-0 rounded-md border border-line bg-panel"
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary className={SUMMARY_CLASSES}>
        <Chevron isOpen={isOpen} />
        <Layers aria-hidden="true" className="size-3.5 shrink-0 text-muted" />
        <span className="shrink-0 font-mono">
          {name} ×{calls.length}
        </span>
        <span className="min-w-0 truncate text-tiny text-muted tabular">{numbers}</span>
      </summary>
      {isOpen ? (
        <div className="border-t border-line p-2">
          <LazyChunks
            items={calls}
            itemHeight={ENTRY_HEIGHT}
            className="flex min-w-0 flex-col gap-2 not-last:pb-2"
            render={(call) => <CallCard key={call.callId} call={call} {...props} />}
          />
        </div>
      ) : null}
    </details>
  )
}

/** Returns the cost of the child run of a call without the runs below it, in millionths of a dollar. */
function costBelow({ childRunId }: CallView, { timeline }: RunViewState): number {
  const index = childRunId === undefined ? undefined : timeline.runIndexes.get(childRunId)
  return index === undefined ? 0 : (timeline.runs[index]?.usage.micros ?? 0)
}

function Chevron({ isOpen }: { readonly isOpen: boolean }): ReactElement {
  return (
    <ChevronRight
      aria-hidden="true"
      className={isOpen ? 'size-3.5 shrink-0 rotate-90 text-muted' : 'size-3.5 shrink-0 text-muted'}
    />
  )
}

/** Shows a tool call as a line that expands to its arguments and result. */
function CallCard({
  call,
  run,
  viewState,
  onOpenRun,
}: TranscriptProps & { readonly call: CallView }): ReactElement {
  const { childRunId } = call
  const [isOpen, setOpen] = useState(false)
  return (
    <details
      className="min-w-0 rounded-md border border-line bg-panel"
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary className={SUMMARY_CLASSES}>
        <Chevron isOpen={isOpen} />
        <span className="max-w-[60%] shrink-0 truncate font-mono">{call.childInstance ?? call.toolName}</span>
        <StateBadge compact state={callState(call, run, viewState)} />
        <bdi dir="auto" className="min-w-0 grow truncate text-tiny text-muted">
          {inputLine(call.args)}
        </bdi>
        <span className="max-w-[40%] shrink-0 truncate text-tiny text-muted tabular">
          {call.durationMs === undefined ? (call.progress ?? '') : formatDuration(call.durationMs)}
        </span>
      </summary>
      {isOpen ? (
        <div className="flex flex-col gap-3 border-t border-line px-2.5 py-2.5">
          <JsonView name="arguments" value={call.args} />
          <CallResult call={call} run={run} viewState={viewState} />
          {childRunId === undefined || onOpenRun === undefined ? null : (
            <Button className="self-start" onClick={() => onOpenRun(childRunId)}>
              What {call.childInstance ?? 'the agent'} did
              <ArrowRight aria-hidden="true" className="size-3.5" />
            </Button>
          )}
        </div>
      ) : null}
    </details>
  )
}
