import type { StockHookUse, ToolHook } from '@troupe/schema'
import { findCycles, heights, reachableFrom } from './agent-graph.ts'
import type { TeamCard } from './card-pool.ts'
import type { CheckedAgent } from './check-agent.ts'
import type { Entry } from './find-entry.ts'
import type { Team, TeamMember } from './load-team.ts'
import { plannedVariables } from './needed-variables.ts'
import { planError } from './plan-problem.ts'
import type { HostPlan, PlannedAgent, PlannedCard, PlanProblem } from './plan-types.ts'

/** Everything a plan tells. */
export interface PlanParts {
  readonly team: Team
  readonly agents: ReadonlyMap<string, CheckedAgent>
  readonly entry: Entry
  /** Those of the configuration and of env files: an error among them stops every agent. */
  readonly general: readonly PlanProblem[]
  readonly settings: readonly PlanProblem[]
  readonly configFile: string | undefined
}

/** The team as plain data (decision 21). */
export function makePlan(parts: PlanParts): HostPlan {
  const { team, agents, entry, general, settings, configFile } = parts
  const checked = [...agents.values()]
  const ofAgents = [
    ...team.problems,
    ...settings,
    ...cycleProblems(team),
    ...checked.flatMap((agent) => agent.problems),
  ]
  const problems = distinct([...general, ...ofAgents, ...('problem' in entry ? [entry.problem] : [])])
  const height = heights(team.members)
  return {
    ...('name' in entry ? { entry: entry.name } : {}),
    agents: checked.map((agent) =>
      plannedAgent(agent, {
        height: height.get(agent.member.definition.name) ?? 0,
        runnable: blockerOf(agent.member.definition.name, { team, problems, general }) === undefined,
      }),
    ),
    variables: plannedVariables(checked.flatMap((agent) => agent.variables)),
    problems,
    cards: [...[...team.members.values()].map(({ card }) => card), ...team.broken].flatMap(plannedCard),
    ...(configFile === undefined ? {} : { configFile }),
  }
}

function plannedCard({ path, definition, dialect, report }: TeamCard): readonly PlannedCard[] {
  if (dialect === undefined || report === undefined) return []
  const agent = definition === undefined ? {} : { agent: definition.name }
  return [{ file: path, ...agent, dialect, fields: report }]
}

/** The first error that keeps an agent from running: of the configuration, its own, or of an agent it can reach. */
export function blockerOf(
  name: string,
  plan: {
    readonly team: Team
    readonly problems: readonly PlanProblem[]
    readonly general: readonly PlanProblem[]
  },
): PlanProblem | undefined {
  const general = plan.general.find((problem) => problem.severity === 'error')
  if (general !== undefined) return general
  const errors = plan.problems.filter((problem) => problem.severity === 'error')
  for (const reached of reachableFrom(plan.team.members, name)) {
    const problem = errors.find(({ agent }) => agent === reached)
    if (problem !== undefined) return problem
  }
  return undefined
}

function cycleProblems({ members }: Team): readonly PlanProblem[] {
  return findCycles(members).map((cycle) => {
    const [name = ''] = cycle
    const file = members.get(name)?.card.path
    return planError('agent_cycle', `Agents call each other in a circle: ${cycle.join(' -> ')}.`, {
      agent: name,
      ...(file === undefined ? {} : { file }),
    })
  })
}

function plannedAgent(
  { member, parts, servers }: CheckedAgent,
  facts: { readonly height: number; readonly runnable: boolean },
): PlannedAgent {
  const { definition, card, children } = member
  return {
    name: definition.name,
    file: card.path,
    type: definition.type,
    ...(definition.description === undefined ? {} : { description: definition.description }),
    default: definition.default,
    hidden: definition.hidden,
    models: definition.model,
    children,
    servers: servers.map((server) => server.name),
    functionTools: functionNames(member, parts.functionTools),
    toolHooks: definition.toolHooks.map(hookName),
    ...facts,
  }
}

/** The names of the loaded tools; where loading failed, what the card says. */
function functionNames(
  { definition }: TeamMember,
  loaded: readonly { readonly name: string }[],
): readonly string[] {
  if (loaded.length > 0) return loaded.map((tool) => tool.name)
  return definition.functionTools.map((entry) => (typeof entry === 'string' ? entry : entry.name))
}

function hookName(hook: string | StockHookUse | ToolHook): string {
  if (typeof hook === 'string') return hook
  return typeof hook === 'function' ? hook.name || 'a function' : hook.use
}

/** A card that several paths lead to tells its problems once. */
function distinct(problems: readonly PlanProblem[]): readonly PlanProblem[] {
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()]
}
