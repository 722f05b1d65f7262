import {
  failure,
  NO_PROBLEMS,
  NO_USAGE,
  outcomeOf,
  toUsageReport,
  type Account,
  type AgentDefinition,
  type Failure,
  type RunReport,
  type RunResult,
} from '@troupe/schema'

/** The models called without a known price, by agent. */
export interface UnpricedModels extends Account {
  of(agent: string): readonly string[]
}

/** Creates an account that collects unpriced models by agent, which a run result does not contain. */
export function collectUnpriced(): UnpricedModels {
  const models = new Map<string, Set<string>>()
  return {
    add: (agent, _usage, unpriced) => {
      if (unpriced === undefined) return
      const known = models.get(agent) ?? new Set()
      models.set(agent, known.add(unpriced))
    },
    addProblem: () => undefined,
    of: (agent) => [...(models.get(agent) ?? [])],
  }
}

/** Converts the result of a root run to its report, the object printed by `--json`. */
export function toReport(
  result: RunResult,
  context: {
    readonly format: AgentDefinition['output']['format']
    readonly sessionId: string
    readonly unpriced: UnpricedModels
  },
): RunReport {
  const { format, sessionId, unpriced } = context
  const rows = Object.entries(result.byAgent).map(
    ([agent, usage]) => [agent, toUsageReport(usage, unpriced.of(agent))] as const,
  )
  return {
    runId: result.runId,
    agent: result.agent,
    outcome: result.outcome,
    output: {
      format,
      text: result.text,
      ...(result.value === undefined ? {} : { value: result.value }),
    },
    ...(result.failure === undefined ? {} : { error: result.failure }),
    usage: { ...toUsageReport(result.usage, result.unpriced), byAgent: Object.fromEntries(rows) },
    problems: result.problems,
    problemCount: result.problemCount,
    sessionId,
    durationMs: result.durationMs,
    activeMs: result.activeMs,
  }
}

/** Returns the report of a run that could not start. */
export function failedReport(
  reason: Failure,
  run: {
    readonly runId: string
    readonly agent: string
    readonly sessionId: string
    readonly format: AgentDefinition['output']['format']
  },
): RunReport {
  return {
    runId: run.runId,
    agent: run.agent,
    outcome: outcomeOf(reason),
    output: { format: run.format, text: '' },
    error: reason,
    usage: { ...toUsageReport(NO_USAGE, []), byAgent: {} },
    ...NO_PROBLEMS,
    sessionId: run.sessionId,
    durationMs: 0,
    activeMs: 0,
  }
}

/** Converts a problem of the plan to a failure, with the location in its message. */
export function problemFailure(problem: {
  readonly code: Failure['code']
  readonly message: string
  readonly fix?: string
  readonly file?: string
  readonly line?: number
  readonly column?: number
}): Failure {
  const { code, message, fix, file } = problem
  const place = [file, problem.line, problem.column].filter((part) => part !== undefined).join(':')
  const isLocated = file === undefined || message.startsWith(file)
  return failure(code, isLocated ? message : `${place}: ${message}`, fix)
}
