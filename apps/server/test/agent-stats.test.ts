import type { TeamStats } from '@troupe/headends'
import { expect, it } from 'vitest'
import { leadAndClerk, serveTeam } from './support/serve-team.ts'

it('GET /api/agents/stats returns the figures of agents and calls in stored runs', async () => {
  const { url } = await serveTeam(leadAndClerk())
  await fetch(`${url}/v1/Lead?q=How%20many`)
  const stats = (await (await fetch(`${url}/api/agents/stats`)).json()) as TeamStats
  expect(stats).toMatchObject({
    rootRuns: 1,
    agents: [
      { agent: 'Clerk', runs: 1, failures: 0 },
      { agent: 'Lead', runs: 1, failures: 0 },
    ],
    calls: [{ from: 'Lead', to: 'Clerk', calls: 1, failures: 0, perRun: 1 }],
  })
})
