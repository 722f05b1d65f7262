import { hookReach } from '@troupe/hooks'
import type { AgentDefinition, ToolDefinition, ToolHook } from '@troupe/schema'
import { effectivePermission } from '../prepare/effective-permission.ts'
import type { PlannedTool } from './plan-types.ts'

/** The parts of an agent that determine its tools and their permissions. */
export interface ToolOwner {
  readonly definition: AgentDefinition
  readonly tools: readonly ToolDefinition[]
  readonly hooks: readonly ToolHook[]
}

/**
 * Returns the tools of an agent for the plan. Permissions include the rules of its callers (`above`) and its
 * own `approve` hooks.
 */
export function plannedTools(
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
  }))
}

/** Applies an `approve` hook, which can only make a permission stricter. */
function stricter(permission: PlannedTool['permission'], needsApproval: boolean): PlannedTool['permission'] {
  return permission === 'allow' && needsApproval ? 'ask' : permission
}
