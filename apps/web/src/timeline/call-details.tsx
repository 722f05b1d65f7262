import { formatDuration, type CallView, type TimelineRun } from '@troupe/timeline'
import { ArrowRight } from 'lucide-react'
import type { ReactElement } from 'react'
import { callState, type RunViewState } from '../reducers/run-view-state.ts'
import { Button } from '../ui/button.tsx'
import { Facts } from '../ui/facts.tsx'
import { JsonView } from '../ui/json-view.tsx'
import { Section } from '../ui/section.tsx'
import { StateBadge } from '../ui/state-badge.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { CallResult } from './call-result.tsx'

/** Shows a tool call: its arguments, result and events. */
export function CallDetails({
  call,
  run,
  viewState,
  onOpenRun,
}: {
  readonly call: CallView
  readonly run: TimelineRun
  readonly viewState: RunViewState
  readonly onOpenRun: (runId: string) => void
}): ReactElement {
  const events = viewState.events.filter((event) => event.runId === run.runId && event.callId === call.callId)
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
          content: events.map((event) => (
            <JsonView key={event.seq} name={`${event.seq} ${event.type}`} value={event as never} open={0} />
          )),
        },
      ]}
    />
  )
}

function Call({
  call,
  run,
  viewState,
  onOpenRun,
}: {
  readonly call: CallView
  readonly run: TimelineRun
  readonly viewState: RunViewState
  readonly onOpenRun: (runId: string) => void
}): ReactElement {
  const { childRunId } = call
  return (
    <div className="flex flex-col gap-5">
      <Facts
        facts={{
          State: <StateBadge state={callState(call, run, viewState)} />,
          Tool: <span className="font-mono">{call.toolName}</span>,
          Source: call.server === undefined ? call.source : `${call.source}, ${call.server}`,
          'Called by': run.instance,
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
          <CallResult call={call} />
        </Section>
      ) : null}
      {childRunId === undefined ? null : (
        <Button className="self-start" onClick={() => onOpenRun(childRunId)}>
          The run that it opened
          <ArrowRight aria-hidden="true" className="size-3.5" />
        </Button>
      )}
    </div>
  )
}
