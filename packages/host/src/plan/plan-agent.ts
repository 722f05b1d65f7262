import { hookReach } from '@troupe/hooks'
import type { AgentDefinition, StockHookUse, ToolDefinition, ToolHook } from '@troupe/schema'
import { guardName } from '@troupe/schema/agent-keys'
import type { TeamMember } from '../team/collect-team.ts'
import { effectivePermission } from '../tools/effective-permission.ts'
import type { PlannedAgent, PlannedTool, ReachedTool } from './host-plan.ts'
import type { KnownAgent } from './tool-problems.ts'
import { worstCase } from './worst-case.ts'

/** Returns a function that creates the plan of one agent of the team. */
export function createAgentPlanner(
  team: readonly KnownAgent[],
): (agent: KnownAgent, facts: { readonly height: number; readonly runnable: boolean }) => PlannedAgent {
  const toolOwners = new Map(
    team.map((knownAgent) => [knownAgent.agent.member.definition.name, toTeamAgent(knownAgent)] as const),
  )
  return ({ agent, known }, facts) => {
    const { definition, card, children } = agent.member
    const { name } = definition
    return {
      name,
      file: card.path,
      type: definition.type,
      ...(definition.description === undefined ? {} : { description: definition.description }),
      default: definition.default,
      hidden: definition.hidden,
      models: definition.model,
      prices: agent.prices,
      unpriced: agent.unpriced,
      outputNotes: agent.outputNotes,
      children,
      servers: agent.servers.map((server) => server.name),
      functionTools: functionNames(agent.member, agent.parts.functionTools),
      toolHooks: definition.toolHooks.map(hookName),
      guards: plannedGuards(definition),
      tools: plannedTools(toTeamAgent({ agent, known })),
      reaches: findReachableTools(name, toolOwners),
      unlistedServers: known.unlisted,
      worstCase: worstCase(agent.member, toolOwners),
      ...facts,
    }
  }
}

function toTeamAgent({ agent, known }: KnownAgent): TeamAgent {
  const { definition, children } = agent.member
  return { definition, children, tools: known.tools, hooks: agent.parts.hooks }
}

/** Returns the names of the loaded tools, or the entries of the card if loading failed. */
function functionNames(
  { definition }: TeamMember,
  loaded: readonly { readonly name: string }[],
): readonly string[] {
  if (loaded.length > 0) return loaded.map((tool) => tool.name)
  return definition.functionTools.map((entry) => {
    if (typeof entry === 'string') return entry
    return 'use' in entry ? entry.use : entry.name
  })
}

function plannedGuards({ guard = {} }: AgentDefinition): readonly string[] {
  return Object.entries(guard).flatMap(([place, guards]) =>
    guards.map((spec) => {
      const action = typeof spec === 'object' ? spec.action : undefined
      return `${place}: ${guardName(spec)} (${action ?? 'deny'})`
    }),
  )
}

function hookName(hook: string | StockHookUse | ToolHook): string {
  if (typeof hook === 'string') return hook
  return typeof hook === 'function' ? hook.name || 'a function' : hook.use
}

/** The parts of an agent that determine its tools and their permissions. */
interface ToolOwner {
  readonly definition: AgentDefinition
  readonly tools: readonly ToolDefinition[]
  readonly hooks: readonly ToolHook[]
}

/**
 * Returns the tools of an agent for the plan. Permissions include the rules of its callers (`above`) and its
 * own `approve` hooks.
 */
function plannedTools(
  { definition, tools, hooks }: ToolOwner,
  above: readonly AgentDefinition[] = [],
): readonly PlannedTool[] {
  if (tools.length === 0) return []
  const permission = effectivePermission(definition, above)
  const approvals = hooks.flatMap((hook) => hookReach(hook) ?? []).filter(({ name }) => name === 'approve')
  return tools.map((tool) => ({
    name: tool.name,
    wireName: tool.wireName,
    source: tool.source,
    ...(tool.server === undefined ? {} : { server: tool.server }),
    permission: stricter(
      permission.ofTool(tool),
      approvals.some((reach) => reach.concerns(tool)),
    ),
    ...(tool.capabilities === undefined ? {} : { capabilities: tool.capabilities }),
    ...(tool.source === 'function' ? { inputSchema: tool.inputSchema } : {}),
  }))
}

/** Applies an `approve` hook, which can only make a permission stricter. */
function stricter(permission: PlannedTool['permission'], needsApproval: boolean): PlannedTool['permission'] {
  return permission === 'allow' && needsApproval ? 'ask' : permission
}

/** An agent with its tools and children. */
interface TeamAgent extends ToolOwner {
  readonly children: readonly string[]
}

/**
 * Returns the tools that an agent can reach through its children, nearest first. Each descendant is listed
 * once, by its shortest path; agent tools are omitted. Permissions include the limits set by the agents on
 * that path.
 */
function findReachableTools(name: string, agents: ReadonlyMap<string, TeamAgent>): readonly ReachedTool[] {
  if (agents.get(name)?.children.length === 0) return []
  const reached: ReachedTool[] = []
  const seen = new Set([name])
  const paths: (readonly string[])[] = [[name]]
  for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
    for (const child of agents.get(path.at(-1) ?? '')?.children ?? []) {
      if (seen.has(child)) continue
      seen.add(child)
      const longerPath = [...path, child]
      paths.push(longerPath)
      reached.push(...toolsAtEnd(longerPath, agents))
    }
  }
  return reached
}

function toolsAtEnd(path: readonly string[], agents: ReadonlyMap<string, TeamAgent>): readonly ReachedTool[] {
  const agentsOnPath = path.flatMap((name) => agents.get(name) ?? [])
  const last = agentsOnPath.at(-1)
  if (last === undefined) return []
  const above = agentsOnPath.slice(0, -1).map((agent) => agent.definition)
  const tools = last.tools.filter((tool) => tool.source !== 'agent')
  return plannedTools({ ...last, tools }, above).map((tool) => ({ ...tool, via: path.slice(1) }))
}
