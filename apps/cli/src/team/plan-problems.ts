import { failure, type Failure } from '@troupe/schema'
import type { HostPlan, PlanProblem, PlannedAgent } from '@troupe/host'

/** The agents of a plan that the named ones can reach, themselves included. */
export function reachable(plan: HostPlan, names: Iterable<string>): ReadonlySet<string> {
  const agents = new Map(plan.agents.map((agent) => [agent.name, agent]))
  const found = new Set<string>()
  const open = [...names]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue
    found.add(name)
    open.push(...(agents.get(name)?.children ?? []))
  }
  return found
}

/** The errors that keep an agent from being run: its own, those of agents it can reach, and those of the configuration. Without an entry every error counts. */
export function blockingProblems(plan: HostPlan, entry: string | undefined): readonly PlanProblem[] {
  const errors = plan.problems.filter((problem) => problem.severity === 'error')
  if (entry === undefined) return errors.length > 0 ? errors : [NO_ENTRY]
  const names = reachable(plan, [entry])
  const own = errors.filter((problem) => isGeneral(problem, plan) || names.has(problem.agent ?? ''))
  if (own.length > 0 || isRunnable(plan, entry)) return own
  return errors.length > 0 ? errors : [NO_ENTRY]
}

/** Missing variables, keys and models: warnings of a plan that keep an agent it reaches from running. */
const START_CODES: ReadonlySet<string> = new Set(['env_missing', 'model_unset'])

/** Returns the errors of a plan that concern the named agents or those they reach, and the warnings that keep one of them from running. */
export function startProblems(plan: HostPlan, names: Iterable<string>): readonly PlanProblem[] {
  const reached = reachable(plan, names)
  return plan.problems.filter(
    ({ severity, code, agent }) =>
      (severity === 'error' || START_CODES.has(code)) && (agent === undefined || reached.has(agent)),
  )
}

/** True when the agent is in the plan, whether it can run or not. */
export function isLoaded(plan: HostPlan, name: string): boolean {
  return plan.agents.some((agent) => agent.name === name)
}

/** What stands in a problem, as the failure it is. */
export function problemFailure({ code, message, fix }: PlanProblem): Failure {
  return failure(code, message, fix)
}

const NO_ENTRY: PlanProblem = Object.freeze({
  severity: 'error',
  code: 'agent_unknown',
  message: 'There is no agent that could be run.',
  fix: 'Name a card, or a folder with cards.',
})

/** Not of one card: of the configuration, a file with variables, or the team as a whole. */
function isGeneral({ agent, file, code }: PlanProblem, { configFile }: HostPlan): boolean {
  return agent === undefined && (file === undefined || file === configFile || code === 'config_invalid')
}

function isRunnable(plan: HostPlan, entry: string): boolean {
  return plan.agents.some((agent: PlannedAgent) => agent.name === entry && agent.runnable)
}
