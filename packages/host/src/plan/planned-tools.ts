import { hookReach } from '@troupe/hooks'
import type { AgentDefinition, ToolDefinition, ToolHook } from '@troupe/schema'
import { permissionBelow } from '../prepare/ceilings.ts'
import type { PlannedTool } from './plan-types.ts'

/** An agent as far as its tools are concerned. */
export interface ToolOwner {
  readonly definition: AgentDefinition
  readonly tools: readonly ToolDefinition[]
  readonly hooks: readonly ToolHook[]
}

/** The tools of an agent as a plan shows them, with what the rules of the agents above (R16) and its own `approve` hooks say of each. */
export function plannedTools(
  { definition, tools, hooks }: ToolOwner,
  above: readonly AgentDefinition[] = [],
): readonly PlannedTool[] {
  if (tools.length === 0) return []
  const permission = permissionBelow(definition, above)
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
  }))
}

/** A hook can have a person asked, and lift nothing. */
function stricter(permission: PlannedTool['permission'], isAsked: boolean): PlannedTool['permission'] {
  return permission === 'allow' && isAsked ? 'ask' : permission
}
