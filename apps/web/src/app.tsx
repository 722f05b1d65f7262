import { useEffect, useState, type ReactElement } from 'react'
import { AGENTS_PATH, type AgentList } from './api/agents.ts'
import { useRequest } from './api/use-request.ts'
import { Page } from './page.tsx'
import { goTo, useRoute } from './route/route.ts'
import { useOpenApprovals } from './runs/use-open-approvals.ts'
import { Shell } from './shell/shell.tsx'
import { SignIn } from './shell/sign-in.tsx'
import { onTrial, type TrialChat } from './tools/trial/trial-events.ts'

/** Shows the shell with the page of the current route, or the sign-in form if the server requires a token. */
export function App(): ReactElement {
  const route = useRoute()
  const agents = useRequest<AgentList>(AGENTS_PATH)
  const approvals = useOpenApprovals()
  const trial = useTrials()
  if (agents.failure?.code === 'token_required') return <SignIn onDone={agents.refresh} />
  return (
    <Shell route={route} approvals={approvals.value?.total ?? 0}>
      <Page route={route} agents={agents} trial={trial} approvals={approvals} />
    </Shell>
  )
}

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
