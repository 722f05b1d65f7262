import type { AgentDefinition, ToolDefinition } from '@troupe/schema'
import { permissionBelow } from '../ceilings.ts'
import type { PlannedTool } from '../plan-types.ts'

/** The tools of an agent as a plan shows them, with what the rules of the agents above say of each (R16). */
export function plannedTools(
  definition: AgentDefinition,
  tools: readonly ToolDefinition[],
  above: readonly AgentDefinition[] = [],
): readonly PlannedTool[] {
  if (tools.length === 0) return []
  const permission = permissionBelow(definition, above)
  return tools.map((tool) => ({
    name: tool.name,
    wireName: tool.wireName,
    source: tool.source,
    ...(tool.server === undefined ? {} : { server: tool.server }),
    permission: permission(tool),
    ...(tool.capabilities === undefined ? {} : { capabilities: tool.capabilities }),
  }))
}
