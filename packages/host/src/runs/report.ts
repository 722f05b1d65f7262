import { randomId } from '@troupe/core'
import {
  NO_PROBLEMS,
  NO_USAGE,
  outcomeOf,
  toUsageReport,
  type AgentDefinition,
  type Failure,
  type RunOptions,
  type RunReport,
} from '@troupe/schema'
import type { Account, RunResult } from '@troupe/schema/ports'
import { problemFailure } from '../config/plan-problem.ts'
import type { LoadedTeam } from '../plan/load-team.ts'

/** The models called without a known price, by agent. */
interface UnpricedModels extends Account {
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
      ...(result.files === undefined ? {} : { files: result.files }),
      ...(result.citations === undefined ? {} : { citations: result.citations }),
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

/**
 * Returns a failed report if the requested agent belongs to a card that could not be read. Requesting it is
 * not misuse, so nothing is thrown.
 */
export function brokenReport(
  { agents, broken, entry }: LoadedTeam,
  name: string | undefined,
  options: RunOptions,
): RunReport | undefined {
  const card =
    name === undefined
      ? broken.find((candidate) => 'problem' in entry && candidate.path === entry.problem.file)
      : agents.has(name)
        ? undefined
        : broken.find((candidate) => candidate.stem === name)
  const problem = card?.problems.find(({ severity }) => severity === 'error')
  if (card === undefined || problem === undefined) return undefined
  return failedReport(problemFailure(problem), {
    ...reportBase({ name: card.stem, output: { format: 'text' } }, options),
  })
}

/** Returns the report fields of a run that never started. */
export function reportBase(
  { name, output }: Pick<AgentDefinition, 'name' | 'output'>,
  { runId = randomId('run'), sessionId = runId, output: contract = output }: RunOptions,
): Parameters<typeof failedReport>[1] {
  return { runId, agent: name, sessionId, format: contract.format }
}
