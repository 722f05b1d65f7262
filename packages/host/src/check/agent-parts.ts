import { agentTool } from '@troupe/registry'
import type { AgentDefinition, ToolDefinition } from '@troupe/schema'
import type { ToolCandidate } from '../prepare/assign-wire-names.ts'
import type { AgentCode } from '../code/load-code.ts'
import type { TeamMember } from '../team/load-team.ts'

/** Tools, hooks and modules of an agent, loaded once at startup and shared by all runs. */
export interface AgentParts extends AgentCode {
  /** Function tools, then runtime tools, then child agents. */
  readonly tools: readonly ToolCandidate[]
}

/** Combines the loaded code of an agent with its runtime tools and the tools for its children. */
export function agentParts(
  { definition, card }: TeamMember,
  options: {
    readonly code: AgentCode
    readonly children: readonly AgentDefinition[]
    readonly runtimeTools: readonly ToolDefinition[]
    /** Added to the system prompt of an agent with children. */
    readonly hint?: string | undefined
  },
): AgentParts {
  const { functionTools, hooks, loopHooks, modules } = options.code
  const code = { hooks, loopHooks, modules }
  // A composition calls agents, not tools.
  if (definition.type !== 'agent') return { ...code, functionTools: [], tools: [] }
  const tools = [
    ...functionTools.map((tool) => offerFunction(tool, card.path)),
    ...options.runtimeTools.map(offerRuntime),
    ...options.children.map((child) => offerChild(child, options.hint)),
  ]
  return { ...code, functionTools, tools }
}

function offerFunction(tool: ToolDefinition, path: string): ToolCandidate {
  return { tool, written: tool.name, from: `the function ${tool.name} of ${path}` }
}

function offerRuntime(tool: ToolDefinition): ToolCandidate {
  return { tool, written: tool.wireName, from: `the runtime tool ${tool.name}` }
}

function offerChild(child: AgentDefinition, hint: string | undefined): ToolCandidate {
  const tool = hint === undefined ? agentTool(child) : { ...agentTool(child), instructions: hint }
  return {
    tool,
    written: child.toolName ?? tool.name,
    from: `the agent ${child.name} of ${child.source.path}`,
  }
}
