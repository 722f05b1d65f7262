import type { Agent } from '@troupe/client'
import { formatDuration, formatTokens } from '@troupe/timeline'
import { useCallback, useState, type ReactElement } from 'react'
import { ChatMessageView } from '../../chat/chat-message.tsx'
import type { ConversationMessage } from '../../chat/use-conversation.ts'
import { useStickToEnd } from '../../chat/use-stick-to-end.ts'
import { useNow, useRun, useRunFeed } from '../../feed/use-run.ts'
import { rootOf, runState, usageOf } from '../../reducers/run-view-state.ts'
import { goTo, hrefOf } from '../../route/route.ts'
import { Inspector } from '../../timeline/inspector.tsx'
import { WaterfallView } from '../../timeline/waterfall-view.tsx'
import { costText } from '../../ui/format.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { Facts } from '../../ui/section.tsx'
import { StateBadge } from '../../ui/state-badge.tsx'
import { Tabs } from '../../ui/tabs.tsx'

/** Shows a trial of a tool, read-only: the prompt, the calls with their results, and the answer. */
export function TrialPage({
  agent,
  tool,
  runId,
  initialMessage,
}: {
  readonly agent: Agent
  readonly tool: string
  readonly runId: string
  /** The filled prompt, shown until the server returns the input of the run. */
  readonly initialMessage: string
}): ReactElement {
  const { viewState, link } = useRunFeed(runId)
  const isKnown = rootOf(viewState) !== undefined || initialMessage !== '' || link === 'unknown'
  return (
    <div className="flex h-full min-h-0 flex-col">
      <PageHead
        title={`Test of ${tool}`}
        trail={<a href={hrefOf({ page: 'tools', agent: agent.name })}>{agent.name}</a>}
      >
        <span className="rounded-full border border-line px-2 py-0.5 text-tiny font-medium text-muted">
          read-only
        </span>
      </PageHead>
      <div className="grid min-h-0 grow max-lg:grid-rows-[minmax(60vh,max-content)_auto] max-lg:overflow-auto lg:grid-cols-[minmax(0,1fr)_minmax(20rem,36%)]">
        <ReadOnlyChat
          agent={agent.name}
          // An empty message would move the answer when its text comes.
          messages={isKnown ? [{ runId, text: initialMessage }] : []}
        />
        <aside className="flex min-h-0 min-w-0 flex-col border-line bg-panel max-lg:border-t lg:border-l">
          <Tabs
            label="About this test"
            tabs={[
              { id: 'timeline', label: 'Timeline', content: <TrialTimeline runId={runId} /> },
              { id: 'stats', label: 'Stats', content: <TrialStats runId={runId} /> },
              {
                id: 'context',
                label: 'Context',
                content: <TrialContext agent={agent} tool={tool} runId={runId} />,
              },
            ]}
          />
        </aside>
      </div>
    </div>
  )
}

function TrialTimeline({ runId }: { readonly runId: string }): ReactElement {
  const { viewState } = useRunFeed(runId)
  const [selected, setSelected] = useState<string>()
  return (
    <div className="-m-4">
      <WaterfallView viewState={viewState} selected={selected} onSelect={setSelected} />
      {selected === undefined ? null : (
        <Inspector viewState={viewState} selected={selected} onSelect={setSelected} />
      )}
    </div>
  )
}

function TrialStats({ runId }: { readonly runId: string }): ReactElement | null {
  const { viewState, link } = useRun(runId)
  const root = rootOf(viewState)
  const now = useNow(link !== 'over' && viewState.interruptedAt === undefined)
  if (root === undefined) return null
  const usage = usageOf(viewState)
  return (
    <Facts
      facts={{
        State: <StateBadge state={runState(root, viewState)} />,
        Model: <span className="font-mono text-tiny">{root.model}</span>,
        Duration: formatDuration(
          root.durationMs ?? Math.max(0, (viewState.interruptedAt ?? now) - root.startedAt),
        ),
        Runs: viewState.timeline.runs.length,
        'Model calls': usage.modelCalls,
        'Tool calls': usage.toolCalls,
        'Tokens in': formatTokens(usage.input),
        'Tokens out': formatTokens(usage.output),
        Cost: costText(usage),
      }}
    />
  )
}

/** Shows the context of the trial, read-only: models, tools and servers of the agent. */
function TrialContext({
  agent,
  tool,
  runId,
}: {
  readonly agent: Agent
  readonly tool: string
  readonly runId: string
}): ReactElement {
  return (
    <Facts
      facts={{
        Agent: <a href={hrefOf({ page: 'agent', agent: agent.name })}>{agent.name}</a>,
        Tool: <span className="font-mono">{tool}</span>,
        Models: <span className="font-mono text-tiny">{agent.models.join(' → ')}</span>,
        Tools: agent.tools.length === 0 ? 'none' : agent.tools.map(({ name }) => name).join(', '),
        Servers: agent.servers.length === 0 ? 'none' : agent.servers.join(', '),
        Approvals: 'not available; tools that require approval are not offered',
        Run: (
          <a href={hrefOf({ page: 'run', runId })} className="font-mono text-tiny break-all text-accent">
            {runId}
          </a>
        ),
      }}
    />
  )
}

/** Shows a conversation without input and settings. Scrolls as content arrives. */
function ReadOnlyChat({
  agent,
  messages,
}: {
  readonly agent: string
  readonly messages: readonly Pick<ConversationMessage, 'runId' | 'text'>[]
}): ReactElement {
  const container = useStickToEnd()
  const ignore = useCallback(() => undefined, [])
  return (
    <div ref={container} className="min-h-0 min-w-0 lg:overflow-auto">
      <div className="mx-auto flex max-w-3xl flex-col gap-8 px-4 py-6 sm:px-6">
        {messages.map(({ runId, text }) => (
          <ChatMessageView
            key={runId}
            runId={runId}
            text={text}
            agent={agent}
            onLive={ignore}
            onOpenRun={() => goTo({ page: 'run', runId })}
          />
        ))}
      </div>
    </div>
  )
}
