import type { TimelineRun } from '@troupe/timeline'
import { Brain, Info, TriangleAlert } from 'lucide-react'
import type { ReactElement } from 'react'
import type { RunViewState } from '../reducers/run-view-state.ts'
import type { TranscriptItem } from '../reducers/transcript.ts'
import { Prose } from '../ui/prose.tsx'
import { CallCard } from './call-card.tsx'

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
