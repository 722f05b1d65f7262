import type { StockHookUse, ToolHook } from '@troupe/schema'
import type { CheckedAgent } from '../check/check-agent.ts'
import type { TeamMember } from '../team/load-team.ts'
import type { KnownTools } from './known-tools.ts'
import type { PlannedAgent } from './plan-types.ts'
import { plannedTools } from './planned-tools.ts'
import { findReachableTools, type ReachingAgent } from './find-reachable-tools.ts'
import { worstCase } from './worst-case.ts'

/** A checked agent with its known tools. */
export interface KnownAgent {
  readonly agent: CheckedAgent
  readonly known: KnownTools
}

/** Returns a function that creates the plan of one agent of the team. */
export function createAgentPlanner(
  team: readonly KnownAgent[],
): (agent: KnownAgent, facts: { readonly height: number; readonly runnable: boolean }) => PlannedAgent {
  const reaching = new Map(
    team.map((each) => [each.agent.member.definition.name, reachingAgent(each)] as const),
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
      unpriced: agent.unpriced,
      outputNotes: agent.outputNotes,
      children,
      servers: agent.servers.map((server) => server.name),
      functionTools: functionNames(agent.member, agent.parts.functionTools),
      toolHooks: definition.toolHooks.map(hookName),
      tools: plannedTools(reachingAgent({ agent, known })),
      reaches: findReachableTools(name, reaching),
      unlistedServers: known.isWhole ? [] : agent.servers.map((server) => server.name),
      worstCase: worstCase(agent.member, reaching),
      ...facts,
    }
  }
}

function reachingAgent({ agent, known }: KnownAgent): ReachingAgent {
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

function hookName(hook: string | StockHookUse | ToolHook): string {
  if (typeof hook === 'string') return hook
  return typeof hook === 'function' ? hook.name || 'a function' : hook.use
}
