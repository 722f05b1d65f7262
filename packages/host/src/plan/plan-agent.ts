import type { StockHookUse, ToolDefinition, ToolHook } from '@troupe/schema'
import type { CheckedAgent } from '../check/check-agent.ts'
import type { TeamMember } from '../team/load-team.ts'
import { knownTools } from './known-tools.ts'
import type { PlannedAgent } from './plan-types.ts'
import { plannedTools } from './planned-tools.ts'
import { toolReach, type ReachingAgent } from './tool-reach.ts'
import { worstCase } from './worst-case.ts'

/** The agents of a team as the check found them, by name. */
export interface PlannedTeam {
  readonly agents: ReadonlyMap<string, CheckedAgent>
  /** All tools of agents whose MCP servers were asked, by name of the agent. */
  readonly listed: ReadonlyMap<string, readonly ToolDefinition[]>
}

/** An agent with all that can be said of it without running it. */
export function createAgentPlanner({
  agents,
  listed,
}: PlannedTeam): (
  agent: CheckedAgent,
  facts: { readonly height: number; readonly runnable: boolean },
) => PlannedAgent {
  const reaching = new Map(
    [...agents].map(([name, agent]) => [name, reachingAgent(agent, listed.get(name))] as const),
  )
  return (agent, facts) => {
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
      unpriced: agent.unpriced,
      outputNotes: agent.outputNotes,
      children,
      servers: agent.servers.map((server) => server.name),
      functionTools: functionNames(agent.member, agent.parts.functionTools),
      toolHooks: definition.toolHooks.map(hookName),
      tools: plannedTools(reaching.get(name) ?? reachingAgent(agent, listed.get(name))),
      reaches: toolReach(name, reaching),
      unlistedServers: listed.has(name) ? [] : agent.servers.map((server) => server.name),
      worstCase: worstCase(agent.member, reaching),
      ...facts,
    }
  }
}

function reachingAgent(agent: CheckedAgent, listed: readonly ToolDefinition[] | undefined): ReachingAgent {
  const { definition, children } = agent.member
  return { definition, children, tools: knownTools(agent, listed), hooks: agent.parts.hooks }
}

/** The names of the loaded tools; where loading failed, what the card says. */
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

function hookName(hook: string | StockHookUse | ToolHook): string {
  if (typeof hook === 'string') return hook
  return typeof hook === 'function' ? hook.name || 'a function' : hook.use
}
