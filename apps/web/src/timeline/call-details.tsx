import { formatDuration, type CallView, type TimelineRun } from '@troupe/timeline'
import { ArrowRight } from 'lucide-react'
import type { ReactElement } from 'react'
import { useIsForYou } from '../api/answerable.ts'
import { contentUrl } from '../content/content-url.ts'
import { ContentView } from '../content/content-view.tsx'
import { viewerOf } from '../content/viewer-of.ts'
import { runPath } from '../reducers/run-path.ts'
import { callApprovals, callState, type RunViewState } from '../reducers/run-view-state.ts'
import { Button } from '../ui/button.tsx'
import { JsonView } from '../ui/json-view.tsx'
import { FailureNotice } from '../ui/notice.tsx'
import { Facts, Section } from '../ui/section.tsx'
import { StateBadge } from '../ui/state-badge.tsx'
import { Tabs } from '../ui/tabs.tsx'

/** Props of the details of a call. */
interface CallProps {
  readonly call: CallView
  readonly run: TimelineRun
  readonly viewState: RunViewState
  readonly onOpenRun: (runId: string) => void
}

/** Shows a tool call: its arguments, result and events. */
export function CallDetails({ call, run, viewState, onOpenRun }: CallProps): ReactElement {
  return (
    <Tabs
      label={`Views of ${call.toolName}`}
      tabs={[
        {
          id: 'call',
          label: 'Call',
          content: <Call call={call} run={run} viewState={viewState} onOpenRun={onOpenRun} />,
        },
        {
          id: 'json',
          label: 'JSON',
          content: <CallEvents call={call} run={run} viewState={viewState} />,
        },
      ]}
    />
  )
}

function CallEvents({ call, run, viewState }: Omit<CallProps, 'onOpenRun'>): ReactElement {
  const events = viewState.events.filter((event) => event.runId === run.runId && event.callId === call.callId)
  return (
    <>
      {events.map((event) => (
        <JsonView key={event.seq} name={`${event.seq} ${event.type}`} value={event} open={0} />
      ))}
    </>
  )
}

function Call({ call, run, viewState, onOpenRun }: CallProps): ReactElement {
  const { childRunId } = call
  const isForYou = useIsForYou()
  return (
    <div className="flex flex-col gap-5">
      <Facts
        facts={{
          State: (
            <StateBadge
              state={callState(call, run, viewState)}
              isForYou={isForYou(callApprovals(call, run))}
            />
          ),
          Tool: <span className="font-mono">{call.toolName}</span>,
          Source: call.server === undefined ? call.source : `${call.source}, ${call.server}`,
          'Called by': runPath(viewState.timeline, run),
          Turn: call.turn,
          Attempts: call.attempts,
          Duration: call.durationMs === undefined ? undefined : formatDuration(call.durationMs),
        }}
      />
      <Section level={3} title="Arguments">
        <JsonView value={call.args} open={3} />
      </Section>
      {call.state === 'done' ? (
        <Section level={3} title="Result">
          <CallResult call={call} run={run} viewState={viewState} />
        </Section>
      ) : null}
      {childRunId === undefined ? null : (
        <Button className="self-start" onClick={() => onOpenRun(childRunId)}>
          Child run
          <ArrowRight aria-hidden="true" className="size-3.5" />
        </Button>
      )}
    </div>
  )
}

/** Shows the result of a call: its failure, or its content by its type. */
export function CallResult({
  call,
  run,
  viewState,
}: {
  readonly call: CallView
  readonly run: TimelineRun
  readonly viewState: RunViewState
}): ReactElement | null {
  if (call.state !== 'done') return null
  const content = call.error === undefined ? (call.content ?? []) : []
  const hasPages = content.some((part) => viewerOf(part) === 'page')
  const url = hasPages ? contentUrl(viewState, { runId: run.runId, callId: call.callId }) : undefined
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {call.error === undefined ? null : <FailureNotice failure={call.error} isAnnounced={false} />}
      {content.map((part, index) => (
        <ContentView key={index} part={part} url={url === undefined ? undefined : `${url}/${index}`} />
      ))}
    </div>
  )
}
