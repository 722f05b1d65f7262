import type { ToolCapability } from '@troupe/schema'
import { listFirst } from '@troupe/schema/text'
import type { CheckedAgent } from '../check/check-agent.ts'
import type { VariableNeed } from '../check/needed-variables.ts'
import { planError, type PlanProblem, planWarning } from '../config/plan-problem.ts'
import { findCycles, heights, reachableFrom } from '../team/agent-graph.ts'
import type { Team } from '../team/collect-team.ts'
import type { TeamEntry } from '../team/find-entry.ts'
import type {
  HostPlan,
  PlannedCard,
  PlannedVariable,
  PlannedAgent,
  PlannedTool,
  ReachedTool,
} from './host-plan.ts'
import {
  knownTools,
  headlessToolProblems,
  toolSchemaProblems,
  unmatchedHookProblems,
  type KnownTools,
} from './tool-problems.ts'
import { ruleProblems, textRuleProblems } from './permission-problems.ts'
import { createAgentPlanner } from './plan-agent.ts'

/** Everything that a plan is made from. */
export interface PlanParts {
  readonly team: Team
  readonly agents: ReadonlyMap<string, CheckedAgent>
  readonly entry: TeamEntry
  /** Problems of the configuration and env files. An error among them blocks every agent. */
  readonly general: readonly PlanProblem[]
  readonly settings: readonly PlanProblem[]
  readonly configFile: string | undefined
  readonly inspected?: InspectedServers
}

/** Result of inspecting MCP servers. */
export interface InspectedServers {
  /** By agent name: the tools of the agents whose servers could be connected. */
  readonly listed: ReadonlyMap<string, KnownTools>
  readonly problems: readonly PlanProblem[]
}

/** Creates the plan of a team. */
export function makePlan(parts: PlanParts): HostPlan {
  const { team, agents, entry, general, settings, configFile, inspected = NOT_INSPECTED } = parts
  const { listed } = inspected
  const checked = [...agents.values()]
  const all = [...agents].map(([name, agent]) => ({ agent, known: knownTools(agent, listed.get(name)) }))
  const found = [
    ...general,
    ...team.problems,
    ...settings,
    ...cycleProblems(team),
    ...checked.flatMap((agent) => agent.problems),
    ...all.flatMap(({ agent, known }) => toolSchemaProblems(agent.member.definition, known.tools)),
    ...all.flatMap(({ agent, known }) => unmatchedHookProblems(agent, known)),
    ...all.flatMap(({ agent, known }) => headlessToolProblems(agent, known)),
    ...all.flatMap(({ agent, known }) => ruleProblems(agent, known)),
    ...textRuleProblems(all),
    ...inspected.problems,
    ...('problem' in entry ? [entry.problem] : []),
  ]
  const height = heights(team.members)
  const toPlanned = createAgentPlanner(all)
  const blockerOf = createBlockers({ team, problems: found, general })
  const planned = all.map((knownAgent) => {
    const { name } = knownAgent.agent.member.definition
    return toPlanned(knownAgent, { height: height.get(name) ?? 0, runnable: blockerOf(name) === undefined })
  })
  return {
    ...('name' in entry ? { entry: entry.name } : {}),
    agents: planned,
    unreached: 'name' in entry ? unreachedFrom(entry.name, team) : [],
    variables: plannedVariables(checked.flatMap((agent) => agent.variables)),
    problems: distinct([...found, ...dataFlowProblems(planned)].map(withPosition), team),
    cards: planCards(team),
    ...(configFile === undefined ? {} : { configFile }),
  }
}

const NOT_INSPECTED: InspectedServers = { listed: new Map(), problems: [] }

/** Returns the agents that cannot be reached from the entry. */
function unreachedFrom(entry: string, { members }: Team): readonly string[] {
  const reached = new Set(reachableFrom(members, entry))
  return [...members.keys()].filter((name) => !reached.has(name))
}

/**
 * Returns a function that finds the first error that blocks an agent: of the configuration, its own, or of an
 * agent it can reach.
 */
export function createBlockers(plan: {
  readonly team: Team
  readonly problems: readonly PlanProblem[]
  readonly general: readonly PlanProblem[]
}): (name: string) => PlanProblem | undefined {
  const general = plan.general.find(isError)
  const own = new Map<string | undefined, PlanProblem>()
  for (const problem of plan.problems.filter(isError))
    if (!own.has(problem.agent)) own.set(problem.agent, problem)
  return (name) => {
    if (general !== undefined || own.size === 0) return general
    const blocked = reachableFrom(plan.team.members, name).find((reached) => own.has(reached))
    return blocked === undefined ? undefined : own.get(blocked)
  }
}

function isError({ severity }: PlanProblem): boolean {
  return severity === 'error'
}

function cycleProblems({ members }: Team): readonly PlanProblem[] {
  return findCycles(members).map((cycle) => {
    const [name = ''] = cycle
    const card = members.get(name)?.card
    return planError('agent_cycle', `Agents call each other in a cycle: ${cycle.join(' -> ')}.`, {
      agent: name,
      ...(card === undefined ? {} : { file: card.path, ...card.positionOf?.(['agents']) }),
    })
  })
}

/** Places a problem without a position at the start of its file, unless the file cannot be read. */
function withPosition(problem: PlanProblem): PlanProblem {
  const { code, file, line } = problem
  if (file === undefined || line !== undefined || code === 'card_unreadable') return problem
  return { ...problem, line: 1, column: 1 }
}

/**
 * Removes duplicates, since a card can be reached through several paths. A problem of a file that several cards
 * share, such as the configuration of their project, is reported for the first agent it applies to.
 */
function distinct(problems: readonly PlanProblem[], { members, broken }: Team): readonly PlanProblem[] {
  const cards = new Set([...[...members.values()].map(({ card }) => card), ...broken].map(({ path }) => path))
  const found = new Map<string, PlanProblem>()
  for (const problem of problems) {
    const { agent, ...rest } = problem
    const isShared = rest.file !== undefined && !cards.has(rest.file)
    const key = JSON.stringify(isShared ? rest : [agent, rest])
    if (!found.has(key)) found.set(key, problem)
  }
  return [...found.values()]
}

/** Reports how each card was read, including cards with errors. Agents from code have no card to report. */
function planCards({ members, broken }: Team): readonly PlannedCard[] {
  const cards = [...[...members.values()].map(({ card }) => card), ...broken]
  return cards.flatMap(({ path, definition, dialect, report }) => {
    if (dialect === undefined || report === undefined) return []
    const agent = definition === undefined ? {} : { agent: definition.name }
    return [{ file: path, ...agent, dialect, fields: report }]
  })
}

/** Groups needs with the same variable, purpose and origin, in the order of first occurrence. */
function plannedVariables(needs: readonly VariableNeed[]): readonly PlannedVariable[] {
  const groups = new Map<string, { readonly need: VariableNeed; readonly agents: Set<string> }>()
  for (const need of needs) {
    const key = `${need.name.length} ${need.neededFor.length} ${need.name}${need.neededFor}${need.origin ?? ''}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { need, agents: new Set([need.agent]) })
    else group.agents.add(need.agent)
  }
  return [...groups.values()].map(({ need, agents }) => ({
    name: need.name,
    agents: [...agents],
    neededFor: need.neededFor,
    ...(need.server === undefined ? {} : { server: need.server }),
    ...(need.origin === undefined ? {} : { origin: need.origin }),
  }))
}

const RISKY_MIX = ['reads_private', 'reads_untrusted', 'egress'] as const satisfies readonly ToolCapability[]

const CAPABILITY_TEXTS: Readonly<Record<(typeof RISKY_MIX)[number], string>> = {
  reads_private: 'read private data',
  reads_untrusted: 'read untrusted content',
  egress: 'send data out',
}

type Reachable = PlannedTool & Partial<Pick<ReachedTool, 'via'>>

/**
 * Warns about agents that combine private data, untrusted content and an exfiltration channel, because a
 * prompt injection could make them leak the data. A parent is not reported if one of its children already is.
 * Tools that ask for approval or are denied do not count.
 */
function dataFlowProblems(agents: readonly PlannedAgent[]): readonly PlanProblem[] {
  const mixed = new Map(agents.flatMap((agent) => mixOf(agent)))
  return agents.flatMap((agent) => {
    const mix = mixed.get(agent.name)
    if (mix === undefined || agent.children.some((child) => mixed.has(child))) return []
    return [mixWarning(agent, mix)]
  })
}

type Mix = Readonly<Record<(typeof RISKY_MIX)[number], readonly Reachable[]>>

function mixOf(agent: PlannedAgent): readonly (readonly [string, Mix])[] {
  const tools: readonly Reachable[] = [...agent.tools, ...agent.reaches].filter(isAllowed)
  if (tools.length === 0) return []
  const toolsWith = (capability: ToolCapability): readonly Reachable[] =>
    tools.filter((tool) => tool.capabilities?.includes(capability))
  const mix = {
    reads_private: toolsWith('reads_private'),
    reads_untrusted: toolsWith('reads_untrusted'),
    egress: toolsWith('egress'),
  }
  return RISKY_MIX.some((capability) => mix[capability].length === 0) ? [] : [[agent.name, mix]]
}

function isAllowed({ permission }: PlannedTool): boolean {
  return permission === 'allow'
}

function mixWarning(agent: PlannedAgent, mix: Mix): PlanProblem {
  const parts = RISKY_MIX.map(
    (capability) =>
      `${CAPABILITY_TEXTS[capability]} (${listFirst(mix[capability].map(pathText), { max: 3 })})`,
  )
  return planWarning(
    'data_flow_mixed',
    `A prompt injection could make ${agent.name} leak data. Without approval, it can ${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}.`,
    { file: agent.file, agent: agent.name },
  )
}

function pathText({ name, via }: Reachable): string {
  return via === undefined ? name : `${name} through ${via.join(' -> ')}`
}
