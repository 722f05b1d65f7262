import { NO_USAGE, type Outcome, type RunEvent } from '@troupe/schema'
import { expect, it } from 'vitest'
import { createAgentStats, endedRunsOf, toTeamStats } from '../src/run-service/agent-stats.ts'

interface Ended {
  readonly runId: string
  readonly agent: string
  readonly parentRunId?: string
  readonly ms: number
  readonly micros?: number
  readonly outcome?: Outcome
}

/** Creates the end event of a run; it costs ten times as much with the runs below it. */
function runEnd(rootRunId: string, { ms, micros = 0, outcome = 'completed', ...run }: Ended): RunEvent {
  return {
    type: 'run-end',
    time: 1000 + ms,
    rootRunId,
    instance: run.agent,
    depth: run.parentRunId === undefined ? 0 : 1,
    ...run,
    outcome,
    output: { format: 'text', text: '' },
    usage: { ...NO_USAGE, micros: micros * 10 },
    byAgent: { [run.agent]: { ...NO_USAGE, micros } },
    unpriced: [],
    durationMs: ms * 2,
    activeMs: ms,
  }
}

const TREE = [
  runEnd('r1', { runId: 'c1', agent: 'Clerk', parentRunId: 'r1', ms: 10, micros: 1_000_000 }),
  runEnd('r1', { runId: 'c2', agent: 'Clerk', parentRunId: 'r1', ms: 30, outcome: 'failed' }),
  runEnd('r1', { runId: 'r1', agent: 'Lead', ms: 100, micros: 500_000 }),
]

it('figures count runs, failures, times and own costs of each agent and each call', () => {
  const { agents, calls } = toTeamStats([endedRunsOf(TREE)])
  expect(agents).toEqual([
    expect.objectContaining({ agent: 'Clerk', runs: 2, failures: 1, p50Ms: 10, p95Ms: 30, meanCost: 0.5 }),
    expect.objectContaining({ agent: 'Lead', runs: 1, failures: 0, p50Ms: 100, p95Ms: 100, meanCost: 0.5 }),
  ])
  expect(calls).toEqual([{ from: 'Lead', to: 'Clerk', calls: 2, failures: 1, perRun: 2 }])
})

it('the events of an ended run are read from the store once, and open runs are left out', async () => {
  const reads: string[] = []
  const stats = createAgentStats({
    list: ({ limit }) =>
      [
        { rootRunId: 'open', open: true, lastSeq: 1, detail: 'full' as const },
        { rootRunId: 'r1', open: false, lastSeq: 3, detail: 'full' as const },
      ].slice(0, limit),
    events(rootRunId) {
      reads.push(rootRunId)
      return TREE
    },
  })
  await stats({ principal: 'ada' })
  expect(await stats({ principal: 'ada' })).toMatchObject({ rootRuns: 1, agents: [{ runs: 2 }, { runs: 1 }] })
  expect(reads).toEqual(['r1'])
})

it('runs with too many events are left out and reported', async () => {
  const stats = createAgentStats({
    list: () => [{ rootRunId: 'long', open: false, lastSeq: 1_000_000, detail: 'full' }],
    events: () => {
      throw new Error('A long run is not read.')
    },
  })
  expect(await stats({ principal: undefined })).toEqual({
    rootRuns: 0,
    isPartial: true,
    agents: [],
    calls: [],
  })
})
