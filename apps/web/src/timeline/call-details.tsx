import { isJsonObject, type ContentPart, type Json } from '@troupe/schema'
import { formatDuration, type CallView, type TimelineRun } from '@troupe/timeline'
import { ArrowRight } from 'lucide-react'
import type { ReactElement } from 'react'
import { runPath } from '../reducers/run-path.ts'
import { callState, type RunViewState } from '../reducers/run-view-state.ts'
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
  return (
    <div className="flex flex-col gap-5">
      <Facts
        facts={{
          State: <StateBadge state={callState(call, run, viewState)} />,
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
          <CallResult call={call} />
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

/** Shows the result of a call: its failure, or its content, with JSON as a tree. */
export function CallResult({ call }: { readonly call: CallView }): ReactElement | null {
  if (call.state !== 'done') return null
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {call.error === undefined ? null : <FailureNotice failure={call.error} />}
      {call.error === undefined
        ? (call.content ?? []).map((part, index) => <Part key={index} part={part} />)
        : null}
    </div>
  )
}

function Part({ part }: { readonly part: ContentPart }): ReactElement {
  if (part.type !== 'text') return <p className="text-small text-muted">{part.mediaType}</p>
  const json = toJson(part.text)
  if (json !== undefined) return <JsonView name="result" value={json} />
  return (
    <pre
      dir="auto"
      className="max-h-96 overflow-auto rounded-md bg-raised px-2.5 py-2 font-mono text-small break-words whitespace-pre-wrap"
    >
      {part.text}
    </pre>
  )
}

/** Parses the text if it is a JSON object or list; otherwise returns `undefined`. */
function toJson(text: string): Json | undefined {
  if (!/^\s*[[{]/u.test(text)) return undefined
  try {
    const value = JSON.parse(text) as Json
    return isJsonObject(value) || Array.isArray(value) ? value : undefined
  } catch {
    // A text that only looks like JSON.
    return undefined
  }
}
