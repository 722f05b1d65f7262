import type { AgentDefinition, JsonObject, RunOptions, RunReport } from '@troupe/schema'
import type { TeamSnapshot } from '../team-snapshot.ts'
import { brokenReport, reportBase } from './broken-report.ts'
import { findAgent } from './find-agent.ts'
import type { RunsContext } from './runs-context.ts'
import { toInput } from './to-input.ts'
import { failedReport } from './to-report.ts'
import { useTeam } from './use-team.ts'

/** Agent, input and options of a run. */
export interface AgentRunInput {
  /** `undefined` for the entry agent. */
  readonly agent: string | undefined | AgentDefinition
  readonly input: unknown
  readonly options: RunOptions
}

/**
 * Runs an agent. Invalid input and agents with errors result in failed reports. Rejects if the host is closed
 * or the agent is unknown.
 */
export function runAgent({ agent, input, options }: AgentRunInput, context: RunsContext): Promise<RunReport> {
  const name = typeof agent === 'object' ? agent.name : agent
  const { model } = options
  const changes = model === undefined ? undefined : { model }
  return useTeam(context.team, (snapshot) => start({ name, input, options }, snapshot, context), changes)
}

async function start(
  { name, input, options }: Omit<AgentRunInput, 'agent'> & { readonly name: string | undefined },
  snapshot: TeamSnapshot,
  { team, roots, validate, requireOpen }: RunsContext,
): Promise<RunReport> {
  const { loaded, executor: starter } = snapshot
  const broken = brokenReport(loaded, name, options)
  if (broken !== undefined) return team.redact(broken)
  requireOpen()
  const { definition } = findAgent(loaded, name).member
  const text = toInput(definition, input as string | JsonObject, { ...options, validate })
  if (typeof text !== 'string') return team.redact(failedReport(text, reportBase(definition, options)))
  return roots.start({ team: snapshot, definition, input: text, options, starter })
}
