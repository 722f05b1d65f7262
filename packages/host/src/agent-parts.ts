import { closest } from '@troupe/cards'
import { agentTool } from '@troupe/registry'
import type { AgentDefinition, LoopHooks, ToolDefinition, ToolHook } from '@troupe/schema'
import { loadFunctionTools, loadLoopHooks, loadToolHooks } from '@troupe/tools'
import type { OfferedTool } from './assign-wire-names.ts'
import type { TeamMember } from './load-team.ts'

/** What an agent brings itself: loaded once at startup, the same for every run. */
export interface AgentParts {
  /** Function tools, then those of the runtime, then children. */
  readonly tools: readonly OfferedTool[]
  readonly functionTools: readonly ToolDefinition[]
  readonly hooks: readonly ToolHook[]
  readonly loopHooks: LoopHooks
}

/** Loads the code that a card names and makes tools of its children. What cannot be loaded is told to `onError` and left out. */
export async function loadAgentParts(
  member: TeamMember,
  options: {
    readonly children: readonly AgentDefinition[]
    readonly runtimeTools: readonly ToolDefinition[]
    /** Told to the model of an agent with children. */
    readonly hint?: string | undefined
    onError(thrown: unknown): void
  },
): Promise<AgentParts> {
  const { definition, card } = member
  const place = { folder: card.folder, agent: definition.name, suggest: closest }
  const orElse = async <T>(loading: Promise<T>, fallback: T): Promise<T> => {
    try {
      return await loading
    } catch (thrown) {
      options.onError(thrown)
      return fallback
    }
  }
  const functionTools = await orElse(loadFunctionTools(definition.functionTools, place), [])
  const hooks = await orElse(loadToolHooks(definition.toolHooks, place), [])
  const loopHooks = await orElse(loadLoopHooks(definition.loopHooks, place), {})
  // a composition calls agents and no tools
  if (definition.type !== 'agent') return { tools: [], functionTools: [], hooks, loopHooks }
  const tools = [
    ...functionTools.map((tool) => offerFunction(tool, card.path)),
    ...options.runtimeTools.map(offerRuntime),
    ...options.children.map((child) => offerChild(child, options.hint)),
  ]
  return { tools, functionTools, hooks, loopHooks }
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
