import { agentTool } from '@troupe/registry'
import type { AgentDefinition, ToolDefinition } from '@troupe/schema'
import type { OfferedTool } from './assign-wire-names.ts'
import { loadCode, type AgentCode, type CodeServices } from './load-code.ts'
import type { LoadProblem } from './load-problem.ts'
import type { TeamMember } from './load-team.ts'

/** What an agent brings itself: loaded once at startup, the same for every run. */
export interface AgentParts extends AgentCode {
  /** Function tools, then those of the runtime, then children. */
  readonly tools: readonly OfferedTool[]
}

/** Loads the code that a card names and makes tools of its children. What cannot be loaded is told to `onProblem` and left out. */
export async function loadAgentParts(
  member: TeamMember,
  options: {
    readonly children: readonly AgentDefinition[]
    readonly runtimeTools: readonly ToolDefinition[]
    readonly services: CodeServices
    /** Told to the model of an agent with children. */
    readonly hint?: string | undefined
    onProblem(problem: LoadProblem): void
  },
): Promise<AgentParts> {
  const { definition, card } = member
  const code = await loadCode(member, options)
  // a composition calls agents and no tools
  if (definition.type !== 'agent') return { ...code, tools: [], functionTools: [] }
  const tools = [
    ...code.functionTools.map((tool) => offerFunction(tool, card.path)),
    ...options.runtimeTools.map(offerRuntime),
    ...options.children.map((child) => offerChild(child, options.hint)),
  ]
  return { ...code, tools }
}

function offerFunction(tool: ToolDefinition, path: string): OfferedTool {
  return { tool, written: tool.name, from: `the function ${tool.name} of ${path}` }
}

function offerRuntime(tool: ToolDefinition): OfferedTool {
  return { tool, written: tool.wireName, from: `the runtime tool ${tool.name}` }
}

function offerChild(child: AgentDefinition, hint: string | undefined): OfferedTool {
  const tool = hint === undefined ? agentTool(child) : { ...agentTool(child), instructions: hint }
  return {
    tool,
    written: child.toolName ?? tool.name,
    from: `the agent ${child.name} of ${child.source.path}`,
  }
}
