import { findRun, formatCost, formatDuration, formatTokens, type TimelineRun } from '@troupe/timeline'
import type { ReactElement, ReactNode } from 'react'
import { useIsForYou } from '../api/answerable.ts'
import { runPath } from '../reducers/run-path.ts'
import { type RunViewState, runState } from '../reducers/run-view-state.ts'
import { costText, durationText } from '../ui/format.ts'
import { JsonView } from '../ui/json-view.tsx'
import { FailureNotice } from '../ui/notice.tsx'
import { Facts, Section } from '../ui/section.tsx'
import { StateBadge } from '../ui/state-badge.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { rowText } from '../waterfall/row-text.ts'
import { timelineTree } from '../waterfall/timeline-tree.ts'
import { CallDetails } from './call-details.tsx'
import { GroupDetails } from './group-details.tsx'
import { LazyChunks } from './lazy-chunks.tsx'
import { TranscriptView } from './transcript-view.tsx'

/** Shows the details of the selected row. `selected` is the key of a row. */
export function Inspector({
  viewState,
  selected,
  onSelect,
  actions,
}: {
  readonly viewState: RunViewState
  readonly selected: string
  readonly onSelect: (key: string) => void
  /** Buttons beside the name of the row. */
  readonly actions?: ReactNode
}): ReactElement | null {
  const node = timelineTree(viewState).nodes.get(selected)?.node
  if (node === undefined) return null
  const { timeline } = viewState
  const path = node.kind === 'group' ? parentPath(viewState, selected) : runPath(timeline, node.run)
  return (
    <section aria-label="Details" className="flex min-h-0 min-w-0 grow flex-col">
      <div className="flex min-h-11 shrink-0 items-center gap-2 px-4 text-small">
        <h2 className="min-w-0 grow truncate" title={path}>
          {node.kind === 'run' ? (
            <PathText path={path} />
          ) : (
            <>
              <span className="text-muted">{path} › </span>
              <span className={node.kind === 'call' ? 'font-mono font-semibold' : 'font-semibold'}>
                {rowText(node).label}
              </span>
            </>
          )}
        </h2>
        {actions}
      </div>
      {node.kind === 'run' ? (
        <RunDetails
          key={selected}
          // The text of an active run is newer than its row.
          run={findRun(timeline, node.key) ?? node.run}
          viewState={viewState}
          onOpenRun={onSelect}
        />
      ) : node.kind === 'call' ? (
        <CallDetails
          key={selected}
          call={node.call}
          run={node.run}
          viewState={viewState}
          onOpenRun={onSelect}
        />
      ) : (
        <GroupDetails key={selected} group={node} onSelect={onSelect} />
      )}
    </section>
  )
}

/** Shows a path with its last name emphasized. */
function PathText({ path }: { readonly path: string }): ReactElement {
  const at = path.lastIndexOf(' › ')
  return (
    <>
      {at === -1 ? null : <span className="text-muted">{path.slice(0, at + 3)}</span>}
      <span className="font-semibold">{at === -1 ? path : path.slice(at + 3)}</span>
    </>
  )
}

function parentPath(viewState: RunViewState, key: string): string {
  const { nodes } = timelineTree(viewState)
  const parent = nodes.get(nodes.get(key)?.parent ?? '')?.node
  return parent?.kind === 'run' ? runPath(viewState.timeline, parent.run) : ''
}

/** Props of the details of a run. */
interface RunDetailsProps {
  readonly run: TimelineRun
  readonly viewState: RunViewState
  readonly onOpenRun: (runId: string) => void
}

/** Shows a run: its conversation, usage and events. */
function RunDetails({ run, viewState, onOpenRun }: RunDetailsProps): ReactElement {
  return (
    <Tabs
      label={`Views of ${run.instance}`}
      tabs={[
        {
          id: 'conversation',
          label: 'Conversation',
          content: <RunConversation run={run} viewState={viewState} onOpenRun={onOpenRun} />,
        },
        { id: 'usage', label: 'Usage', content: <RunUsage run={run} viewState={viewState} /> },
        { id: 'json', label: 'JSON', content: <RunEvents run={run} viewState={viewState} /> },
      ]}
    />
  )
}

function RunConversation({ run, viewState, onOpenRun }: RunDetailsProps): ReactElement {
  return (
    <div className="flex flex-col gap-4">
      <Section level={3} title="Input">
        <p
          dir="auto"
          className="max-h-60 overflow-auto rounded-md bg-raised px-3 py-2 text-small break-words whitespace-pre-wrap"
        >
          {run.input === '' ? '(nothing)' : run.input}
        </p>
      </Section>
      <Section level={3} title="What it did">
        <TranscriptView run={run} viewState={viewState} onOpenRun={onOpenRun} />
        {run.state === 'done' || viewState.interruptedAt !== undefined ? null : (
          <p className="breathing text-small text-muted">{run.activity}</p>
        )}
        {run.error === undefined ? null : <FailureNotice failure={run.error} />}
      </Section>
    </div>
  )
}

function RunUsage({
  run,
  viewState,
}: {
  readonly run: TimelineRun
  readonly viewState: RunViewState
}): ReactElement {
  const isForYou = useIsForYou()
  const models = viewState.spans.get(run.runId)?.models ?? []
  return (
    <div className="flex flex-col gap-5">
      <Facts
        facts={{
          State: <StateBadge state={runState(run, viewState)} isForYou={isForYou(run.approvals)} />,
          Agent: run.agent,
          Model: <span className="font-mono">{run.model}</span>,
          Turns: run.turn,
          Duration: durationText(run),
          'Tokens in': `${formatTokens(run.usage.input)} (${formatTokens(run.usage.cacheRead)} cached)`,
          'Tokens out': `${formatTokens(run.usage.output)} (${formatTokens(run.usage.reasoning)} reasoning)`,
          Cost: costText(run.usage),
          'Model calls': run.usage.modelCalls,
          'Tool calls': run.usage.toolCalls,
          'Run id': <span className="font-mono text-tiny">{run.runId}</span>,
        }}
      />
      <Section level={3} title="Model calls">
        <table className="w-full text-left text-small tabular">
          <thead className="text-tiny text-muted">
            <tr>
              <th className="pr-3 pb-1 font-medium">Turn</th>
              <th className="pr-3 pb-1 font-medium">Model</th>
              <th className="pr-3 pb-1 text-right font-medium">In</th>
              <th className="pr-3 pb-1 text-right font-medium">Out</th>
              <th className="pr-3 pb-1 text-right font-medium">Cost</th>
              <th className="pb-1 text-right font-medium">Time</th>
            </tr>
          </thead>
          <LazyChunks
            as="tbody"
            items={models}
            itemHeight={29}
            render={(call, index) => (
              <tr
                key={index}
                className={
                  call.error === undefined || call.error.class === 'cancelled'
                    ? 'border-t border-line/60'
                    : 'text-bad'
                }
              >
                <td className="py-1 pr-3">{call.turn}</td>
                <td title={call.model} className="w-full max-w-0 truncate py-1 pr-3 font-mono text-tiny">
                  {call.model}
                </td>
                <td className="py-1 pr-3 text-right">{formatTokens(call.inputTokens)}</td>
                <td className="py-1 pr-3 text-right">{formatTokens(call.outputTokens)}</td>
                <td className="py-1 pr-3 text-right">{formatCost(call.cost)}</td>
                <td className="py-1 text-right whitespace-nowrap">
                  {formatDuration((call.to ?? call.from) - call.from)}
                </td>
              </tr>
            )}
          />
        </table>
      </Section>
    </div>
  )
}

function RunEvents({
  run,
  viewState,
}: {
  readonly run: TimelineRun
  readonly viewState: RunViewState
}): ReactElement {
  const runEvents = viewState.events.filter(({ runId }) => runId === run.runId)
  return (
    <div className="flex flex-col gap-1">
      <p className="pb-1 text-small text-muted">
        The {runEvents.length} stored events of this run, in order.
      </p>
      <LazyChunks
        items={runEvents}
        itemHeight={22}
        render={(event) => (
          <JsonView key={event.seq} name={`${event.seq} ${event.type}`} value={event} open={0} />
        )}
      />
    </div>
  )
}
