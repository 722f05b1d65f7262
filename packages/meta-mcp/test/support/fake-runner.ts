import {
  NO_PROBLEMS,
  NO_USAGE,
  toUsageReport,
  type AgentRunner,
  type JsonObject,
  type MaybePromise,
  type RunOptions,
  type RunReport,
} from '@troupe/schema'

/** A run that was requested. */
export interface AskedRun {
  readonly agent: string | undefined
  readonly input: string | JsonObject
  readonly options: RunOptions
}

/** Returns a runner whose runs end as `answer` says; by default they repeat their input. */
export function fakeRunner(answer?: (run: AskedRun) => MaybePromise<Partial<RunReport>>): {
  readonly runs: AskedRun[]
  readonly run: AgentRunner['run']
} {
  const runs: AskedRun[] = []
  return {
    runs,
    run: async (agent, input, options = {}) => {
      const run = { agent, input, options }
      runs.push(run)
      const said = await answer?.(run)
      return { ...completed(run, runs.length), ...said }
    },
  }
}

function completed({ agent = '', input, options }: AskedRun, count: number): RunReport {
  return {
    runId: `run_${count}`,
    agent,
    outcome: 'completed',
    output: { format: 'text', text: typeof input === 'string' ? input : JSON.stringify(input) },
    usage: { ...toUsageReport(NO_USAGE, []), byAgent: {} },
    sessionId: options.sessionId ?? '',
    ...NO_PROBLEMS,
    durationMs: 1,
    activeMs: 1,
  }
}
