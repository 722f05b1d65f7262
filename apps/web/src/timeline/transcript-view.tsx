import { sumUsage } from '@troupe/schema'
import { formatDuration, type CallView, type TimelineRun } from '@troupe/timeline'
import { ArrowRight, Brain, ChevronRight, Info, Layers, TriangleAlert } from 'lucide-react'
import { useMemo, useState, type ReactElement } from 'react'
import { useIsForYou } from '../api/answerable.ts'
import { callApprovals, callState, type RunViewState } from '../reducers/run-view-state.ts'
import { Button } from '../ui/button.tsx'
import { JsonView } from '../ui/json-view.tsx'
import { Prose } from '../ui/prose.tsx'
import { StateBadge } from '../ui/state-badge.tsx'
import { callInput } from '../waterfall/input-line.ts'
import { summaryText } from '../waterfall/row-text.ts'
import { summarizeGroup } from '../waterfall/sibling-groups.ts'
import { callKey, type CallNode, type RunNode } from '../waterfall/timeline-node.ts'
import { timelineTree } from '../waterfall/timeline-tree.ts'
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
  const children = calls.flatMap((call) => nodeOf(call, props) ?? [])
  const { micros } = sumUsage(children.map(({ usage }) => usage))
  const numbers = summaryText(summarizeGroup({ children }), micros)
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

/** Returns the row of a call in the timeline, so that both show the same input and numbers. */
function nodeOf(call: CallView, { run, viewState }: TranscriptProps): RunNode | CallNode | undefined {
  const key = call.childRunId ?? callKey(run.runId, call.callId)
  const node = timelineTree(viewState).nodes.get(key)?.node
  return node?.kind === 'group' ? undefined : node
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
function CallCard({ call, ...props }: TranscriptProps & { readonly call: CallView }): ReactElement {
  const { run, viewState, onOpenRun } = props
  const { childRunId } = call
  const node = nodeOf(call, props)
  const isForYou = useIsForYou()
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
        <StateBadge
          compact
          state={callState(call, run, viewState)}
          isForYou={isForYou(callApprovals(call, run))}
        />
        <bdi dir="auto" className="min-w-0 grow truncate text-tiny text-muted">
          {node?.input ?? callInput(call)}
        </bdi>
        <span className="max-w-[40%] shrink-0 truncate text-tiny text-muted tabular">
          {call.durationMs === undefined || node?.to === undefined
            ? (call.progress ?? '')
            : formatDuration(node.to - node.from)}
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
