import type { AgentList, ApprovalList } from '@troupe/client'
import { Compass } from 'lucide-react'
import { useEffect, useState, type ReactElement } from 'react'
import { AnswerableContext } from './api/answerable.ts'
import { changes, isReloadOf } from './api/changes.ts'
import { preloadQuery } from './api/preload.ts'
import { AGENTS, APPROVALS, firstEventsQuery, runQuery } from './api/queries.ts'
import { useRequest, type RequestState } from './api/use-request.ts'
import { ApprovalAlert } from './approvals/approval-alert.tsx'
import { useOpenApprovals } from './approvals/use-open-approvals.ts'
import { ChatPage } from './chat/chat-page.tsx'
import { PaletteKeys } from './palette/palette-keys.tsx'
import { goTo, useRoute, type PageRoute } from './route/route.ts'
import { lazyPage } from './shell/lazy-page.tsx'
import { Shell } from './shell/shell.tsx'
import { SignIn } from './shell/sign-in.tsx'
import { onTrial, type TrialChat } from './tools/trial/trial-event.ts'
import { Announcer } from './ui/announcer.tsx'
import { buttonClasses } from './ui/button.tsx'
import { EmptyState, FailureNotice } from './ui/notice.tsx'

// Each page but the first one is loaded when it is opened.
const AgentPage = lazyPage(async () => (await import('./agents/agent-page.tsx')).AgentPage)
const AgentsPage = lazyPage(async () => (await import('./agents/agents-page.tsx')).AgentsPage)
const ApprovalsPage = lazyPage(async () => (await import('./approvals/approvals-page.tsx')).ApprovalsPage)
const CardEditorPage = lazyPage(
  async () => (await import('./card-editor/card-editor-page.tsx')).CardEditorPage,
)
const ComparePage = lazyPage(async () => (await import('./compare/compare-page.tsx')).ComparePage)
const DecidePage = lazyPage(async () => (await import('./approvals/decide-page.tsx')).DecidePage)
const EvalsRoute = lazyPage(async () => (await import('./evals/evals-route.tsx')).EvalsRoute)
const RunPage = lazyPage(async () => (await import('./runs/run-page.tsx')).RunPage)
const RunsPage = lazyPage(async () => (await import('./runs/runs-page.tsx')).RunsPage)
const ToolsRoute = lazyPage(async () => (await import('./tools/tools-page.tsx')).ToolsRoute)
const TrialPage = lazyPage(async () => (await import('./tools/trial/trial-page.tsx')).TrialPage)

const PRELOADED: Readonly<Partial<Record<PageRoute['page'], { preload(): void }>>> = {
  runs: RunsPage,
  run: RunPage,
  compare: ComparePage,
  evals: EvalsRoute,
  eval: EvalsRoute,
  'eval-run': EvalsRoute,
  approvals: ApprovalsPage,
  decide: DecidePage,
  agents: AgentsPage,
  agent: AgentPage,
  card: CardEditorPage,
  tools: ToolsRoute,
  tool: ToolsRoute,
  trial: TrialPage,
}

/** Starts to load the code and the data of the page of a route, so that they do not wait for the first rendering. */
export function preloadPage(route: PageRoute): void {
  PRELOADED[route.page]?.preload()
  if (route.page === 'decide') return
  preloadQuery(AGENTS)
  preloadQuery(APPROVALS)
  if (route.page !== 'run') return
  preloadQuery(firstEventsQuery(route.runId))
  preloadQuery(runQuery(route.runId))
}

/** Shows the page of the current route. The page of a link needs no sign-in. */
export function App(): ReactElement {
  const route = useRoute()
  if (route.page !== 'decide') return <SignedInApp route={route} />
  return <DecidePage key={route.token} token={route.token} />
}

/** Shows the shell with the page of the route, or the sign-in form if the server requires a token. */
function SignedInApp({ route }: { readonly route: PageRoute }): ReactElement {
  const agents = useRequest(AGENTS, { isStale: isReloadOf('agents') })
  const approvals = useOpenApprovals()
  const trial = useTrials()
  const onSignIn = (): void => {
    changes.retry()
    agents.refresh()
  }
  if (agents.failure?.code === 'token_required') return <SignIn onDone={onSignIn} />
  return (
    <Shell route={route} approvals={approvals.value?.total ?? 0}>
      <ApprovalAlert approvals={approvals.value?.approvals} />
      <AnswerableContext value={approvals.value?.approvals ?? NO_APPROVALS}>
        <Page route={route} agents={agents} trial={trial} approvals={approvals} />
      </AnswerableContext>
      <Announcer />
      <PaletteKeys />
    </Shell>
  )
}

const NO_APPROVALS: ApprovalList['approvals'] = []

/** Opens the read-only chat of each trial that starts. Returns the last trial. */
function useTrials(): TrialChat | undefined {
  const [trial, setTrial] = useState<TrialChat>()
  useEffect(
    () =>
      onTrial((started) => {
        setTrial(started)
        goTo({ page: 'trial', agent: started.agent, tool: started.tool, runId: started.runId })
      }),
    [],
  )
  return trial
}

/** Shows the page of a route. */
function Page({
  route,
  agents: agentsRequest,
  trial,
  approvals,
}: {
  readonly route: PageRoute
  readonly agents: RequestState<AgentList>
  /** The last trial that was started in this page. */
  readonly trial: TrialChat | undefined
  readonly approvals: ReturnType<typeof useOpenApprovals>
}): ReactElement | null {
  if (route.page === 'runs')
    return (
      <RunsPage agents={agentsRequest.value?.agents.map(({ name }) => name) ?? []} filter={route.filter} />
    )
  if (route.page === 'run') return <RunPage key={route.runId} runId={route.runId} />
  if (route.page === 'compare')
    return <ComparePage key={`${route.left} ${route.right}`} left={route.left} right={route.right} />
  if (route.page === 'evals' || route.page === 'eval' || route.page === 'eval-run')
    return <EvalsRoute route={route} />
  if (route.page === 'approvals') return <ApprovalsPage approvals={approvals} />
  const { value, failure } = agentsRequest
  if (value === undefined)
    return failure === undefined ? null : <FailureNotice failure={failure} className="m-6" />
  const { agents } = value
  if (agents.length === 0)
    return (
      <EmptyState isPage title="No agents">
        Start the server with a folder that contains a card.
      </EmptyState>
    )
  return <AgentRoute route={route} list={value} trial={trial} />
}

/** Shows the page of a route that needs the list of agents. */
function AgentRoute({
  route,
  list: { agents, maxBodyBytes },
  trial,
}: {
  readonly route: PageRoute
  readonly list: AgentList
  readonly trial: TrialChat | undefined
}): ReactElement {
  const named = 'agent' in route ? route.agent : undefined
  const agent = named === undefined ? agents[0] : agents.find(({ name }) => name === named)
  const hasSession = route.page === 'chat' && route.sessionId !== undefined
  if (route.page === 'chat' && (agent !== undefined || hasSession))
    return (
      <ChatPage
        agents={agents}
        agent={agent?.name ?? named ?? ''}
        sessionId={route.sessionId}
        maxBodyBytes={maxBodyBytes}
      />
    )
  if (agent === undefined || route.page === 'unknown') return <NotFound agent={named} />
  switch (route.page) {
    case 'agents':
      return <AgentsPage agents={agents} />
    case 'agent':
      return <AgentPage key={agent.name} agent={agent} agents={agents} />
    case 'card':
      return <CardEditorPage key={agent.name} agent={agent} agents={agents} />
    case 'tools':
    case 'tool':
      return <ToolsRoute route={route} agents={agents} />
    case 'trial':
      return (
        <TrialPage
          key={route.runId}
          agent={agent}
          tool={route.tool}
          runId={route.runId}
          initialMessage={trial?.runId === route.runId ? trial.initialMessage : ''}
        />
      )
    default:
      return <NotFound agent={undefined} />
  }
}

function NotFound({ agent }: { readonly agent: string | undefined }): ReactElement {
  return (
    <EmptyState
      isPage
      icon={<Compass className="size-5" />}
      title={agent === undefined ? 'Page not found' : `There is no agent ${agent}`}
      action={
        <a href="#/agents" className={buttonClasses()}>
          Show all agents
        </a>
      }
    >
      This server has nothing at this address.
    </EmptyState>
  )
}
