import { failure, toFailure, type ApprovalDecision, type RunOptions, type RunReport } from '@troupe/schema'
import { fakeClock, sampleEvent, settle } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { createClientRuns, type ClientRuns } from '../src/client-calls/client-runs.ts'
import { isWaitingAnswer, type ModelRunEnd } from '../src/client-calls/collect-answer.ts'

const RUN = { runId: 'run_1', principal: 'ada', agent: 'Coder' }
const ANSWER: ApprovalDecision = { decision: 'approved', values: { content: [] } }

/** Creates runs that call their client once and are not stored. A decision or their signal ends them. */
function waitingRuns() {
  const clock = fakeClock()
  const cancelled: string[] = []
  const decided: string[] = []
  const running = new Map<string, () => void>()
  const runner = {
    run: (
      _agent: string | undefined,
      _input: unknown,
      { runId = '', onEvent, onSuspend, signal }: RunOptions = {},
    ) =>
      new Promise<RunReport>((resolve) => {
        const approvalId = `${runId}:1.1#1.client`
        const request = { approvalId, toolName: 'client__read', args: {}, client: true as const }
        onEvent?.(sampleEvent('approval-request', { runId, rootRunId: runId, ...request }))
        setImmediate(() => onSuspend?.())
        running.set(runId, () => resolve(report(runId)))
        signal?.addEventListener('abort', () => {
          cancelled.push(runId)
          resolve({ ...report(runId), outcome: 'cancelled', error: toFailure(signal.reason) })
        })
      }),
    agents: () => [],
    session: async () => undefined,
    sessions: async () => [],
  }
  const runs = createClientRuns(
    { runner, clock },
    {
      stop: () => Promise.reject(new TypeError('not stored')),
      clientCalls: {
        find: async () => undefined,
        async decide(runId) {
          if (!running.has(runId)) throw new TypeError('not running')
          decided.push(runId)
          running.get(runId)?.()
        },
      },
    },
  )
  return { clock, cancelled, decided, runs }
}

function report(runId: string): RunReport {
  const usage = {
    inputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: 0,
    reasoningTokens: 0,
    cost: 0,
    unpriced: [],
    estimated: false,
    modelCalls: 0,
    toolCalls: 0,
  }
  return {
    runId,
    agent: 'Coder',
    outcome: 'completed',
    output: { format: 'text', text: 'Done.' },
    usage: { ...usage, byAgent: {} },
    problems: [],
    problemCount: 0,
    sessionId: runId,
    durationMs: 0,
    activeMs: 0,
  }
}

const TARGET = {
  request: { signal: new AbortController().signal },
  caller: { principal: 'ada', role: 'user' as const, cut: () => undefined },
  isWhole: false,
}

function start(runs: ClientRuns, runId: string, principal = 'ada'): Promise<ModelRunEnd> {
  const clientTools = { tools: [{ name: 'read', description: '', inputSchema: {} }] }
  const run = { agent: 'Coder', input: 'Go', options: { runId, clientTools } }
  return runs.start(run, { ...TARGET, caller: { ...TARGET.caller, principal } })
}

describe('runs that wait for their client in memory', () => {
  it('a run answers with its call, and continues with the result', async () => {
    const { runs, decided } = waitingRuns()
    const first = await start(runs, 'run_1')
    expect(isWaitingAnswer(first) && first.calls).toMatchObject([{ id: 'call_1_1-1-1', name: 'read' }])
    const waiting = await runs.find(RUN)
    expect(waiting).toMatchObject({ open: ['run_1:1.1#1.client'], tools: [{ name: 'read' }] })
    const second = await waiting?.resume(new Map([['run_1:1.1#1.client', ANSWER]]), TARGET)
    expect(second).toMatchObject({ outcome: 'completed' })
    expect(decided).toEqual(['run_1'])
    expect(await runs.find(RUN)).toBeUndefined()
  })

  it('another principal and another agent do not find the run', async () => {
    const { runs } = waitingRuns()
    await start(runs, 'run_1')
    expect(await runs.find({ ...RUN, principal: 'ben' })).toBeUndefined()
    expect(await runs.find({ ...RUN, agent: 'Other' })).toBeUndefined()
  })

  it('a run is cancelled after an hour without results', async () => {
    const { runs, clock, cancelled } = waitingRuns()
    await start(runs, 'run_1')
    await clock.advance(60 * 60_000 - 1)
    expect(cancelled).toEqual([])
    await clock.advance(1)
    expect(cancelled).toEqual(['run_1'])
    expect(await runs.find(RUN)).toBeUndefined()
    expect(clock.pending()).toBe(0)
  })

  it('the oldest of more than 32 runs of one principal is cancelled, and none of another', async () => {
    const { runs, cancelled } = waitingRuns()
    await start(runs, 'run_0', 'ben')
    for (let index = 1; index <= 33; index += 1) await start(runs, `run_${index}`)
    await settle()
    expect(cancelled).toEqual(['run_1'])
  })

  it('waiting runs are cancelled when the server shuts down, and so is each later one', async () => {
    const { runs, cancelled } = waitingRuns()
    await start(runs, 'run_1')
    runs.drain()
    await start(runs, 'run_2')
    await settle()
    expect(cancelled).toEqual(['run_1', 'run_2'])
  })

  it('a client that disconnects before the answer cancels the run', async () => {
    const { runs, cancelled } = waitingRuns()
    const client = new AbortController()
    const clientTools = { tools: [] }
    const run = { agent: 'Coder', input: 'Go', options: { runId: 'run_1', clientTools } }
    const end = runs.start(run, { ...TARGET, request: { signal: client.signal } })
    client.abort(failure('run_cancelled', 'gone'))
    expect(await end).toMatchObject({ outcome: 'cancelled' })
    expect(cancelled).toEqual(['run_1'])
  })
})
